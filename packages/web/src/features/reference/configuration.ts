// How Scalar shows the API: from this origin only. Everything of Scalar's that would call or link to a service of its
// own is switched off here; the server's Content-Security-Policy is the second lock.

interface SecurityScheme {
  type?: string;
  scheme?: string;
}

export interface OpenApiDocument {
  components?: { securitySchemes?: Record<string, SecurityScheme> };
}

export interface ReferenceContext {
  document: OpenApiDocument;
  origin: string;
  password: string | undefined;
}

export function configureReference({ document, origin, password }: ReferenceContext) {
  return {
    content: document,
    // Requests from the page go to the server that served it, whatever address the document was written for.
    servers: [{ url: origin }],
    authentication: writeAuthentication(document, password),
    withDefaultFonts: false,
    telemetry: false,
    proxyUrl: "",
    agent: { disabled: true },
    mcp: { disabled: true },
    hideClientButton: true,
    showDeveloperTools: "never",
    documentDownloadType: "none",
    theme: "default",
    defaultOpenFirstTag: true,
  };
}

/** The password the reader gave on the front page is filled in wherever the document wants a bearer token. */
function writeAuthentication(document: OpenApiDocument, password: string | undefined) {
  const schemes = Object.entries(document.components?.securitySchemes ?? {});
  const bearerNames = schemes
    .filter(([, { type, scheme }]) => type === "http" && scheme?.toLowerCase() === "bearer")
    .map(([name]) => name);
  return {
    preferredSecurityScheme: bearerNames[0] ?? null,
    securitySchemes: Object.fromEntries(bearerNames.map((name) => [name, { token: password ?? "" }])),
  };
}

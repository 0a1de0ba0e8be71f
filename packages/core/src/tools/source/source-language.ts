/** Apart from the parser, whose own types would else be part of what users of the library compile. */
export type SourceLanguage = "python" | "typescript";

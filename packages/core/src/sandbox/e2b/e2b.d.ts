/** Declares the module for type checks without the optional package. */
declare module "e2b" {
  export const Sandbox: import("./e2b-package.ts").E2bPackage["Sandbox"];
  export const Template: import("./e2b-package.ts").E2bPackage["Template"];
}

/** Stands for the package where it is not installed. */
declare module "@composio/core" {
  export const Composio: import("./composio-package.ts").ComposioPackage["Composio"];
}

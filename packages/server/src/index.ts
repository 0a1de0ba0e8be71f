/** What the command line and embedders of the server use. */
export { type AppOptions, createApp } from "./app.ts";
export { type Environment, flagOf, type ReadConfig, readConfig, type ServerConfig, settings } from "./config.ts";
export { type FoundProvider, findProviders } from "./detect-providers.ts";
export { composeCallback } from "./letta/messages/callback.ts";
export { createToolEnvironment } from "./letta/tools/tool-environment.ts";
export { nearest } from "./nearest.ts";
export { listRoutes } from "./route-list.ts";
export { type RunningServer, type ServeOptions, serve } from "./serve.ts";

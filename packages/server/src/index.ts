/** What the command line and embedders of the server use. */
export { type AppOptions, createApp } from "./app.ts";
export { type ReadConfig, readConfig } from "./config/read-config.ts";
export { describeDefault } from "./config/setting.ts";
export { type Environment, flagOf, type ServerConfig, settingNames, settings } from "./config/settings.ts";
export { type FoundProvider, findProviders } from "./detect-providers.ts";
export { composeCallback } from "./letta/messages/callback.ts";
export { createToolEnvironment } from "./letta/tools/tool-environment.ts";
export { nearest } from "./nearest.ts";
export { listRoutes } from "./route-list.ts";
export { type RunningServer, type ServeOptions, serve } from "./serve.ts";

/** The provider packages' own types, taken from the one that is always there: they share one specification (v4). */
import type { createOpenAI } from "@ai-sdk/openai";

export type PackageModel = ReturnType<ReturnType<typeof createOpenAI>["chat"]>;
export type PackageOptions = Parameters<PackageModel["doStream"]>[0];
export type PackageMessage = PackageOptions["prompt"][number];
export type PackageTool = Extract<NonNullable<PackageOptions["tools"]>[number], { type: "function" }>;
type PackageStream = Awaited<ReturnType<PackageModel["doStream"]>>["stream"];
export type PackagePart = PackageStream extends ReadableStream<infer Part> ? Part : never;
export type PackageUsage = Extract<PackagePart, { type: "finish" }>["usage"];

export type PackageAssistantPart = Extract<PackageMessage, { role: "assistant" }>["content"][number];
export type PackageReasoning = Extract<PackageAssistantPart, { type: "reasoning" }>;
export type PackageUserPart = Extract<PackageMessage, { role: "user" }>["content"][number];

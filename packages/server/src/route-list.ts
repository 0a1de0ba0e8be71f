/** Every operation there is. */
import type { Memoir } from "@memoir/core";
import type { FoundProvider } from "./detect-providers.ts";
import { authRoutes } from "./letta/admin/auth-routes.ts";
import { adminRoutes } from "./letta/admin/routes.ts";
import { agentFileRoutes } from "./letta/agent-files/routes.ts";
import { agentRoutes } from "./letta/agents/routes.ts";
import { archiveRoutes } from "./letta/archives/routes.ts";
import { batchRoutes } from "./letta/batches/routes.ts";
import { blockRoutes } from "./letta/blocks/routes.ts";
import { contextRoutes } from "./letta/context/routes.ts";
import { agentConversationRoutes } from "./letta/conversations/agent-routes.ts";
import { conversationRoutes } from "./letta/conversations/routes.ts";
import { agentFolderRoutes } from "./letta/folders/agent-routes.ts";
import { folderRoutes } from "./letta/folders/routes.ts";
import { groupRoutes } from "./letta/groups/routes.ts";
import { healthRoutes } from "./letta/health/routes.ts";
import { identityRoutes } from "./letta/identities/routes.ts";
import { internalAgentRoutes, internalBlockRoutes } from "./letta/internal/agent-routes.ts";
import { internalSearchRoutes } from "./letta/internal/search-routes.ts";
import { stepTransactionRoutes } from "./letta/internal/step-routes.ts";
import { templateRoutes } from "./letta/internal/template-routes.ts";
import { unservedRoutes } from "./letta/internal/unserved-routes.ts";
import { jobRoutes } from "./letta/jobs/routes.ts";
import { olderMcpRoutes } from "./letta/mcp/older-routes.ts";
import { mcpServerRoutes } from "./letta/mcp/routes.ts";
import { allMessageRoutes } from "./letta/messages/all-routes.ts";
import { messageRequestRoutes } from "./letta/messages/request-routes.ts";
import { messageRoutes } from "./letta/messages/routes.ts";
import { modelRoutes } from "./letta/models/routes.ts";
import { passageRoutes } from "./letta/passages/routes.ts";
import { providerRoutes } from "./letta/providers/routes.ts";
import { runRoutes } from "./letta/runs/routes.ts";
import { sandboxRoutes } from "./letta/sandbox/routes.ts";
import { stepRoutes } from "./letta/steps/routes.ts";
import { tagRoutes } from "./letta/tags/routes.ts";
import { agentToolRoutes } from "./letta/tools/agent-routes.ts";
import { toolRoutes } from "./letta/tools/routes.ts";
import { traceRoutes } from "./letta/traces/routes.ts";
import { voiceRoutes } from "./letta/voice/routes.ts";
import type { LoginThrottle } from "./login-throttle.ts";
import { approvalRoutes } from "./memoir/approvals/routes.ts";
import { toolEnvironmentRoutes } from "./memoir/environments/routes.ts";
import { historyRoutes } from "./memoir/history/routes.ts";
import { keyRoutes } from "./memoir/keys/routes.ts";
import { repairRoutes } from "./memoir/repair/routes.ts";
import { restToolRoutes } from "./memoir/rest-tools/routes.ts";
import { statusRoutes } from "./memoir/status.ts";
import { stepTraceRoutes } from "./memoir/traces/routes.ts";
import { openAiRoutes } from "./openai/routes.ts";
import type { Route } from "./route.ts";

export interface RouteOptions {
  readonly memoir: Memoir;
  readonly findProviders: () => Promise<FoundProvider[]>;
  readonly password?: string | undefined;
  readonly needsKey?: boolean | undefined;
  readonly throttle?: LoginThrottle | undefined;
  /** Refuse a message to a conversation that is busy, in place of letting it wait. */
  readonly refusesBusy?: boolean | undefined;
  /** Values of secrets can be read back. */
  readonly showsSecrets?: boolean | undefined;
}

export function listRoutes(options: RouteOptions): Route[] {
  const { memoir, findProviders, refusesBusy = false, showsSecrets = false, ...access } = options;
  return [
    ...healthRoutes(memoir),
    ...agentRoutes(memoir, { showsSecrets }),
    ...agentFileRoutes(memoir),
    ...messageRoutes(memoir),
    ...messageRequestRoutes(memoir),
    ...allMessageRoutes(memoir),
    ...batchRoutes(memoir),
    ...openAiRoutes(memoir),
    ...voiceRoutes(),
    ...runRoutes(memoir),
    ...stepRoutes(memoir),
    ...jobRoutes(memoir),
    ...conversationRoutes(memoir, { refusesBusy }),
    ...agentConversationRoutes(memoir),
    ...contextRoutes(memoir),
    ...blockRoutes(memoir),
    ...toolRoutes(memoir),
    ...agentToolRoutes(memoir),
    ...archiveRoutes(memoir),
    ...passageRoutes(memoir),
    ...identityRoutes(memoir),
    ...folderRoutes(memoir),
    ...agentFolderRoutes(memoir),
    ...groupRoutes(memoir),
    ...mcpServerRoutes(memoir),
    ...olderMcpRoutes(memoir),
    ...sandboxRoutes(memoir, { showsSecrets }),
    ...toolEnvironmentRoutes(memoir),
    ...internalAgentRoutes(memoir),
    ...internalBlockRoutes(memoir),
    ...templateRoutes(memoir),
    ...internalSearchRoutes(),
    ...unservedRoutes(memoir),
    ...stepTransactionRoutes(memoir),
    ...adminRoutes(memoir),
    ...authRoutes(access),
    ...tagRoutes(memoir),
    ...modelRoutes(memoir),
    ...providerRoutes(memoir),
    ...traceRoutes(memoir),
    ...approvalRoutes(memoir),
    ...historyRoutes(memoir),
    ...stepTraceRoutes(memoir),
    ...repairRoutes(memoir),
    ...restToolRoutes(memoir),
    ...keyRoutes(memoir),
    ...statusRoutes(memoir, findProviders),
  ];
}

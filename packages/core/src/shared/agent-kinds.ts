/** The kinds of agents; their names are user data, part of agent files and client code. */
export const agentKinds = [
  "memgpt_agent",
  "memgpt_v2_agent",
  "letta_v1_agent",
  "react_agent",
  "workflow_agent",
  "split_thread_agent",
  "sleeptime_agent",
  "voice_convo_agent",
  "voice_sleeptime_agent",
] as const;

export type AgentKind = (typeof agentKinds)[number];

/**
 * kill -9 while 8 clients talk to 8 agents that edit their memory in every turn: after every kill each accepted message
 * is answered once, each edit is there once, no run stays open, and nothing was counted twice. MEMOIR_TEST_SEED repeats
 * a run.
 */
import { testTalkCrashes } from "./talk-suite.ts";

testTalkCrashes({ sqlite: { databases: 1, kills: 20 }, postgres: { databases: 1, kills: 5 } });

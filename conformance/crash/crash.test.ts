/**
 * kill -9 while 16 clients create and change agents, blocks and identities: after every kill the database is sound,
 * every acknowledged write is there, and nothing is there by half. MEMOIR_TEST_SEED repeats a run.
 */
import { testCrashes } from "./suite.ts";

testCrashes({ databases: 1, kills: 40, databaseCrashes: 5 });

/** message-crash.test.ts more often: 200 kills on SQLite and 50 on PostgreSQL, from an empty database every so often. */
import { testTalkCrashes } from "./talk-suite.ts";

testTalkCrashes({ sqlite: { databases: 10, kills: 20 }, postgres: { databases: 5, kills: 10 } });

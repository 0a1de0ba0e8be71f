/** crash.test.ts more often: 500 kills on each kind of database, fifty times each from an empty one. */
import { testCrashes } from "./suite.ts";

testCrashes({ databases: 10, kills: 50, databaseCrashes: 50 });

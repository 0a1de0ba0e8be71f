/**
 * kill -9 while an agent asks, is answered, goes on or is cancelled: no answer that was taken is lost, nothing is done twice,
 * and the next message works. Here some of the commits are cut; approval-crash.long.ts cuts all.
 */
import { testAskCrashes } from "./crash/ask-suite.ts";

testAskCrashes({ sqlite: { commits: 10, statements: 60 }, postgres: { commits: 20, statements: 90 } });

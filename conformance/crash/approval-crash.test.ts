/**
 * kill -9 while an agent asks, is answered, goes on or is cancelled: no answer that was taken is lost, nothing is done twice,
 * and the next message works. Here some of the commits are cut; approval-crash.long.ts cuts all.
 * Such a conversation takes 16 commits and 72 statements: a longer stride might begin behind its end, and cut none.
 */
import { testAskCrashes } from "./ask-suite.ts";

testAskCrashes({ sqlite: { commits: 10, statements: 60 }, postgres: { commits: 14, statements: 60 } });

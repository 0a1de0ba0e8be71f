/** approval-crash.test.ts at every commit and every statement. */
import { testAskCrashes } from "./ask-suite.ts";

const all = { commits: 1, statements: 1 };
testAskCrashes({ sqlite: all, postgres: all });

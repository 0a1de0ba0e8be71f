import { expect, test } from "vitest";
import { actionOf } from "./action.ts";

test.for([
  ["def a(**kwargs):\n    raise RuntimeError()", "GITHUB_STAR"],
  [null, "GITHUB_STAR"],
  ["toolset.execute_action(action='GMAIL_SEND_EMAIL', params=kwargs)", "GMAIL_SEND_EMAIL"],
  ['toolset.get_tools(actions=["SLACK_POST"])[0]', "SLACK_POST"],
  ["toolset.get_tools(actions=[Action.SLACK_POST])", "SLACK_POST"],
])("the source %j stands for %s", ([source, action]) => {
  expect(actionOf({ name: "github_star", source: source ?? null })).toBe(action);
});

/** Where spans and metrics go. */
import { parseAddress } from "./parsers.ts";
import { defineSetting, parseSwitch } from "./setting.ts";

export const telemetrySettings = {
  otlpEndpoint: defineSetting({
    variables: ["MEMOIR_OTLP_ENDPOINT", "LETTA_OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"],
    help: "collector that spans and metrics are sent to, by OTLP over HTTP",
    parse: parseAddress,
  }),
  telemetry: defineSetting({
    variables: ["MEMOIR_TELEMETRY"],
    help: "send them where an address is configured: on or off",
    default: "on",
    parse: parseSwitch,
  }),
};

/* Apart from the launcher because an old Node cannot even read `import()`. */
"use strict";

require("node:module").enableCompileCache();
import("../dist/memoir.js");

#!/usr/bin/env node
"use strict";

require("./launch.js").launch(["server", ...process.argv.slice(2)]);

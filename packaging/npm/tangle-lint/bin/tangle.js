#!/usr/bin/env node
"use strict";

require("./launch.js").launch(process.argv.slice(2));

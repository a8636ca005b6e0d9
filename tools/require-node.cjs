// Loaded with --require before a command of the npm scripts, by any version of Node.js: says what to do if it is too
// old to run the TypeScript sources. The npm scripts use the Node.js that `npm ci` installs, if it is there.
'use strict';

const wanted = 24;
if (Number(process.versions.node.split('.')[0]) < wanted) {
  console.error(
    `This command needs Node.js ${wanted}, but this is ${process.version}. Run \`npm ci\`, which also installs Node.js ` +
      `for Linux (x64, arm64), Windows (x64) and macOS (x64). This is ${process.platform} (${process.arch}): if that ` +
      `does not help, install Node.js ${wanted}: https://nodejs.org`,
  );
  process.exit(1);
}

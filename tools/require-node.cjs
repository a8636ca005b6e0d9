// Loaded with --require before a command of the npm scripts, by any version of Node.js: says what to do if it is too
// old to run the TypeScript sources. The npm scripts use the Node.js that `npm ci` installs, if it is there.
'use strict';

const wanted = 24;
if (Number(process.versions.node.split('.')[0]) < wanted) {
  console.error(
    `This command needs Node.js ${wanted}, but this is ${process.version}. Run \`npm ci\`, which installs the Node.js ` +
      'of this project. If that is done, npm has not run the install script of the package `node`: ' +
      'run `npm rebuild node --ignore-scripts=false`.',
  );
  process.exit(1);
}

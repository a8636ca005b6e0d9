// The bundler starts here, so that it takes the tsconfig.json of this folder and not the project's
// (tools/bundle/README.md).
import '../../../src/main.ts';

// The entry of the bundle. It is here so that ncc uses the tsconfig.json of this folder (tools/bundle/README.md).
import '../../../src/main.ts';

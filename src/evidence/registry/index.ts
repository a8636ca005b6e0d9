export { resolveImage } from './resolve-image.ts';
export { resolveLayoutImage } from './oci-layout.ts';

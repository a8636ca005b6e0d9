/** The name of the request header that marks evidence of an earlier run, which `replay` delivers. Its value is `?1`. */
export const replayedEvidenceHeader = 'replayed-evidence';

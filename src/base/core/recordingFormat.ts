/** The `format` in the first line of a recording of LLM calls. */
export const recordingFormat = 'agentjet-recording';

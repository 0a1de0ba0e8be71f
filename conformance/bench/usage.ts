/** What the models of the bench say that a reply took. */
export const usage = {
  promptTokens: 1,
  completionTokens: 1,
  totalTokens: 2,
  cachedTokens: null,
  cacheWriteTokens: null,
  reasoningTokens: null,
};

/** Counted while it runs, told by its row afterwards. */
export const callsOfEpisode = `iif(sequence IS NULL,
  (SELECT count(*) FROM calls WHERE calls.episode = episodes.episode), episodes.calls)`;

/** Of a run; of its episodes that have not ended, only that they have started and their calls. */
export const totals = `
SELECT count(*) AS started,
  count(sequence) AS ended,
  count(error) AS failed,
  avg(reward) AS meanReward,
  avg(isSuccess) FILTER (WHERE reward IS NOT NULL) AS successRate,
  coalesce(sum(${callsOfEpisode}), 0) AS calls,
  coalesce(sum(timelines), 0) AS timelines,
  coalesce(sum(tokens), 0) AS tokens,
  coalesce(sum(trainableTokens), 0) AS trainableTokens
FROM episodes`;

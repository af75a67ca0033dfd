/** Everything that a training report can tell, as data: what it concerns, how serious it is, and what to do about it. */

import { episodeKinds } from './findings/episodes.ts';
import { requestKinds } from './findings/requests.ts';
import { runKinds } from './findings/runs.ts';
import { timelineKinds } from './findings/timelines.ts';

export type { FindingKind, FindingLevel, FindingTarget as FindingPlace, Severity } from './findingKind.ts';

/** By stable id, in the order in which the documentation lists them. */
export const findingKinds = { ...runKinds, ...episodeKinds, ...timelineKinds, ...requestKinds } as const;

export type FindingCode = keyof typeof findingKinds;

import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { MissingData } from '../../../tracking/core/records/tracedRun.ts';

/** The data that the shown run does not have, because the tool that recorded it did not store it. */
export const MissingRecordsContext = createContext<readonly MissingData[]>([]);

/** The data that is needed to know whether an episode would be trained. */
export const recordsOfTraining: readonly MissingData[] = ['tokens', 'lossMask'];

/** Returns a function that returns true if data was recorded. Data that was not recorded has zeros. */
export function useRecorded(): (what: MissingData) => boolean {
  const lacks = useContext(MissingRecordsContext);
  return (what) => !lacks.includes(what);
}

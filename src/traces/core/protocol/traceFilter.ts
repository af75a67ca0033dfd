/** The filter of episodes that a viewer sends. `filterText.ts` parses the text form. */
import * as z from 'zod/mini';

/** Numbers of an episode. The last five are numbers of its group. */
export const numberFields = [
  'reward',
  'advantage',
  'tokens',
  'trainable',
  'mask',
  'time',
  'calls',
  'failures',
  'timelines',
  'repeat',
  'episode',
  'group',
  'mean',
  'spread',
  'best',
  'worst',
  'solved',
] as const;
export type NumberField = (typeof numberFields)[number];

export const textFields = [
  'task',
  'text',
  'agent',
  'tool',
  'source',
  'finding',
  'error',
  'tag',
  'note',
] as const;
export type TextField = (typeof textFields)[number];

export const comparisons = ['<=', '>=', '!=', '<', '>', '='] as const;
export type Comparison = (typeof comparisons)[number];

export const choiceFields = {
  trains: ['yes', 'no', 'open'],
  success: ['yes', 'no'],
  state: ['running', 'ended', 'lost'],
} as const;
export type ChoiceField = keyof typeof choiceFields;

/** `reward<0`. With `within`, equal means within that distance. */
const numberFilter = z.object({
  kind: z.literal('number'),
  field: z.enum(numberFields),
  is: z.enum(comparisons),
  value: z.number(),
  within: z.optional(z.number()),
});
export type NumberFilter = z.infer<typeof numberFilter>;

const simpleFilters = [
  numberFilter,
  /**
   * Tasks, errors, notes and texts of messages match by a part, other fields as a whole, where `*` matches anything. Case is ignored. A source
   * matches the end of a file's path, with or without the line of the call: `lib/agent.ts`, `agent.ts:12`.
   */
  z.object({ kind: z.literal('text'), field: z.enum(textFields), value: z.string() }),
  z.object({
    kind: z.literal('choice'),
    field: z.enum(['trains', 'success', 'state']),
    value: z.string(),
  }),
  z.object({ kind: z.literal('error') }),
  /** A part of the task's id or of the query. */
  z.object({ kind: z.literal('words'), value: z.string() }),
] as const;

export type Filter =
  | z.infer<(typeof simpleFilters)[number]>
  | { readonly kind: 'all' | 'any'; readonly of: readonly Filter[] }
  | { readonly kind: 'not'; readonly of: Filter };

export const filter: z.ZodMiniType<Filter> = z.lazy(() =>
  z.discriminatedUnion('kind', [
    ...simpleFilters,
    z.object({ kind: z.enum(['all', 'any']), of: z.array(filter) }),
    z.object({ kind: z.literal('not'), of: filter }),
  ]),
);

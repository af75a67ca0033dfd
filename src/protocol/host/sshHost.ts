/** What a client that came over SSH says to a host's program there, on its standard input, and what that answers. */
import * as z from 'zod/mini';

export const sshAsk = z.object({
  /** The name of a token that is to be made; null: the client has one. */
  token: z.nullable(z.string().check(z.regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/))),
  /** How a host is started where none runs. */
  launchers: z.record(z.string(), z.string()),
  gpus: z.nullable(z.int()),
  ray: z.nullable(z.string()),
});
export type SshAsk = z.infer<typeof sshAsk>;

export const sshAnswer = z.union([
  z.object({
    /** As it listens on that machine. */
    url: z.string(),
    fingerprint: z.nullable(z.string()),
    id: z.string(),
    token: z.nullable(z.string()),
  }),
  z.object({ error: z.object({ code: z.string(), message: z.string(), hint: z.optional(z.string()) }) }),
]);
export type SshAnswer = z.infer<typeof sshAnswer>;

/** Begins the one line of the answer, among whatever else a shell there prints. */
export const sshMark = 'agentjet-host ';

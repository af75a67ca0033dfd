/** What a client that came over SSH says to a host's program there, on its standard input, and what that answers. */
import * as z from 'zod/mini';

/** How a host is started. */
export const hostStart = z.object({
  /** Their paths, by name. */
  launchers: z.record(z.string(), z.string()),
  gpus: z.nullable(z.int()),
  ray: z.nullable(z.string()),
});
export type HostStart = z.infer<typeof hostStart>;

/** Where none runs it is started like this; for what is empty, like the one whose place it takes. */
export const sshRequest = z.extend(hostStart, {
  /** The name of a token that is to be made; null: the client has one. */
  token: z.nullable(z.string().check(z.regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/))),
});
export type SshRequest = z.infer<typeof sshRequest>;

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

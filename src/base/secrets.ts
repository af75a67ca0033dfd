/** What stands where a secret was taken out. */
export const redacted = '[redacted]';

/** Keys and tokens of known services, as they look. */
export const secretKinds: readonly { readonly kind: string; readonly pattern: RegExp }[] = [
  { kind: 'keys that begin with sk-', pattern: /\bsk-[A-Za-z0-9_-]{16,}/g },
  { kind: 'keys of AWS', pattern: /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g },
  { kind: 'tokens of GitHub', pattern: /\b(?:gh[opsur]_[A-Za-z0-9]{36,}\b|github_pat_\w{22,}\b)/g },
  { kind: 'tokens of GitLab', pattern: /\bglpat-[\w-]{20,}/g },
  { kind: 'tokens of Hugging Face', pattern: /\bhf_[A-Za-z0-9]{30,}\b/g },
  { kind: 'tokens of Slack', pattern: /\bxox[abeprs]-[\w-]{10,}/g },
  { kind: 'keys of Google', pattern: /\bAIza[\w-]{35}/g },
  { kind: 'keys of Alibaba Cloud', pattern: /\bLTAI[A-Za-z0-9]{12,}\b/g },
  { kind: 'JSON web tokens', pattern: /\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}/g },
  { kind: 'bearer tokens', pattern: /\bBearer\s+[\w.~+/-]{16,}=*/gi },
  {
    kind: 'private keys',
    pattern: /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  },
  { kind: 'addresses with a password', pattern: /\b[a-z][\w+.-]*:\/\/[^\s:@/]*:[^\s@/]+@/gi },
  {
    kind: 'values that are named as secrets',
    pattern:
      /(?<=(?:\b|_)(?:api[_-]?key|secret|password|passwd|(?:access|api|auth|bot|hf|hub|bearer)[_-]?token)["']?\s*[:=]\s*["']?)[^\s"',;]{6,}/gi,
  },
];

export const secretPatterns: readonly RegExp[] = secretKinds.map(({ pattern }) => pattern);

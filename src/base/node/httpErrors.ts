const transportErrors: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'no server is listening there (ECONNREFUSED)',
  ENOTFOUND: 'the host name does not exist (ENOTFOUND)',
  EAI_AGAIN: 'the host name cannot be resolved at the moment (EAI_AGAIN)',
  ERR_STREAM_PREMATURE_CLOSE: 'it closed the connection',
  ECONNRESET: 'it closed the connection (ECONNRESET)',
  EPIPE: 'it closed the connection (EPIPE)',
  ETIMEDOUT: 'the connection timed out (ETIMEDOUT)',
  EHOSTUNREACH: 'no route to that host (EHOSTUNREACH)',
  ENETUNREACH: 'no route to that network (ENETUNREACH)',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed. Add it to NODE_EXTRA_CA_CERTS',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate chain is self-signed. Add its root to NODE_EXTRA_CA_CERTS',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'the issuer of its certificate is unknown. Add the issuer to NODE_EXTRA_CA_CERTS',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    'the issuer of its certificate is unknown. Add the issuer to NODE_EXTRA_CA_CERTS',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host name',
  EPROTO: 'it does not use TLS. Try http:// instead of https:// (EPROTO)',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not use TLS. Try http:// instead of https://',
  ERR_PROXY_TUNNEL: 'the proxy of HTTPS_PROXY refused the connection. Check it, or add the host to NO_PROXY',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'it does not use TLS. Try http:// instead of https://',
};

/** Explains an error of a connection. If all addresses of a host fail, the first error is enough. */
export function explainTransport(error: unknown): string {
  const first: unknown = error instanceof AggregateError ? (error.errors[0] ?? error) : error;
  if (!(first instanceof Error)) return String(first);
  const code = 'code' in first && typeof first.code === 'string' ? first.code : '';
  return transportErrors[code] ?? (code === '' ? first.message : `${first.message} (${code})`);
}

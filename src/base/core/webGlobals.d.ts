/** The globals that Node.js and browsers share, for the folders that use the types of neither. */

interface TextEncoder {
  encode(text: string): Uint8Array<ArrayBuffer>;
}
declare const TextEncoder: new () => TextEncoder;

interface TextDecoder {
  decode(bytes: Uint8Array): string;
}
interface TextDecoderOptions {
  fatal?: boolean;
  ignoreBOM?: boolean;
}
declare const TextDecoder: new (label?: string, options?: TextDecoderOptions) => TextDecoder;

declare function atob(base64: string): string;
declare function btoa(bytes: string): string;

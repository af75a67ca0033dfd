import { crc32, deflateRawSync } from 'node:zlib';

/** A file of an archive; its path has `/` between names. */
export interface ZipFile {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly executable: boolean;
}

/** 1 January 1980, the first day that the format knows: the same files make the same bytes. */
const date = 0x0021;
const utf8Names = 0x0800;
const deflated = 8;
const unix = 3 << 8;

/** A zip archive (APPNOTE 4.3, without its 64-bit extension) of up to 65,535 files and 4 GiB. */
export function zip(files: readonly ZipFile[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const file of files) {
    const name = Buffer.from(file.path, 'utf8');
    const data = deflateRawSync(file.bytes);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(utf8Names, 2);
    common.writeUInt16LE(deflated, 4);
    common.writeUInt16LE(date, 8);
    common.writeUInt32LE(crc32(file.bytes), 10);
    common.writeUInt32LE(data.length, 14);
    common.writeUInt32LE(file.bytes.length, 18);
    common.writeUInt16LE(name.length, 22);
    parts.push(Buffer.from('PK\x03\x04', 'latin1'), common, name, data);
    const place = Buffer.alloc(14);
    const mode = file.executable ? 0o100755 : 0o100644;
    place.writeUInt32LE(mode * 0x10000, 6);
    place.writeUInt32LE(offset, 10);
    const madeBy = Buffer.alloc(2);
    madeBy.writeUInt16LE(unix | 20);
    directory.push(Buffer.from('PK\x01\x02', 'latin1'), madeBy, common, place, name);
    offset += 4 + common.length + name.length + data.length;
  }
  const index = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(files.length, 4);
  end.writeUInt16LE(files.length, 6);
  end.writeUInt32LE(index.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...parts, index, Buffer.from('PK\x05\x06', 'latin1'), end]);
}

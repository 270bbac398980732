/** A broker for tests that returns a message with an endless body. */
import type { Socket } from "node:net";

const FRAME = { method: 1, header: 2, body: 3 };
const BODY_BYTES = 100_000;
const ENDLESS = 2n ** 40n;

/** The answer to each method of a client, by class and method number. */
const ANSWERS: Record<string, Buffer> = {
  // connection.start-ok: tune, with no limit on channels, frames of 128 KiB, no heartbeat.
  "10.11": encodeMethod(10, 30, Buffer.from([0, 0, 0, 2, 0, 0, 0, 0])),
  // connection.open, channel.open, confirm.select
  "10.40": encodeMethod(10, 41, Buffer.from([0])),
  "20.10": encodeMethod(20, 11, Buffer.alloc(4)),
  "85.10": encodeMethod(85, 11, Buffer.alloc(0)),
};

/** Speaks to one client until it hangs up. */
export function speakEndlessly(socket: Socket): void {
  let rest = Buffer.alloc(0);
  socket.once("data", () => {
    const texts = Buffer.concat([Buffer.alloc(4), encodeLongText("PLAIN"), encodeLongText("en_US")]);
    socket.write(
      encodeFrame(FRAME.method, 0, encodeMethod(10, 10, Buffer.concat([Buffer.from([0, 9]), texts]))),
    );
    socket.on("data", (chunk) => {
      rest = Buffer.concat([rest, chunk]);
      while (rest.length >= 7 && rest.length >= 8 + rest.readUInt32BE(3)) {
        const [type, channel, size] = [rest.readUInt8(0), rest.readUInt16BE(1), rest.readUInt32BE(3)];
        const payload = rest.subarray(7, 7 + size);
        rest = rest.subarray(8 + size);
        if (type === FRAME.method) answer(socket, channel, payload);
      }
    });
  });
}

function answer(socket: Socket, channel: number, payload: Buffer): void {
  const name = `${payload.readUInt16BE(0)}.${payload.readUInt16BE(2)}`;
  const known = ANSWERS[name];
  if (known) socket.write(encodeFrame(FRAME.method, channel, known));
  // basic.publish: given back.
  if (name !== "60.40") return;
  socket.write(encodeFrame(FRAME.method, channel, encodeMethod(60, 50, Buffer.from([1, 56, 0, 0, 0]))));
  const head = Buffer.alloc(14);
  head.writeUInt16BE(60);
  head.writeBigUInt64BE(ENDLESS, 4);
  socket.write(encodeFrame(FRAME.header, channel, head));
  const body = encodeFrame(FRAME.body, channel, Buffer.alloc(BODY_BYTES));
  const flood = () => {
    while (!socket.destroyed && socket.write(body));
  };
  socket.on("drain", flood);
  flood();
}

function encodeMethod(classId: number, methodId: number, fields: Buffer): Buffer {
  return Buffer.concat([Buffer.from([classId >> 8, classId & 255, methodId >> 8, methodId & 255]), fields]);
}

function encodeLongText(text: string): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt32BE(text.length);
  return Buffer.concat([size, Buffer.from(text)]);
}

function encodeFrame(type: number, channel: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(7);
  head.writeUInt8(type);
  head.writeUInt16BE(channel, 1);
  head.writeUInt32BE(payload.length, 3);
  return Buffer.concat([head, payload, Buffer.from([0xce])]);
}

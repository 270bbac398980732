/** The delivery attempt as the API shows it. */
import { Type } from "typebox";
import { describeTime } from "../../../ground/described.ts";

export const AttemptSchema = Type.Object(
  {
    time: describeTime("When the attempt started."),
    durationMs: Type.Integer({ description: "Duration in milliseconds." }),
    status: Type.Optional(Type.Integer({ description: "HTTP status of the response." })),
    error: Type.Optional(Type.String({ description: "Why the attempt failed." })),
    answer: Type.Optional(Type.String({ description: "The first 16 KiB of the response." })),
  },
  { title: "DeliveryAttempt", description: "One attempt to deliver a message." },
);

import type { Tasks } from "../db/jobs.ts";
import type { Carrier, SenderParts, SendingChannel } from "./channels/channel.ts";
import { SENDING } from "./channels.ts";
import { deliveryTasks, notificationCarrier } from "./deliveries.ts";
import { digestTasks } from "./email/digest.ts";

/** The jobs of every channel that this process can send by. */
export function channelTasks(parts: SenderParts): Tasks {
  const { db, log } = parts;
  const carriers = Object.fromEntries(SENDING.map((channel) => [channel.name, carrierOf(channel, parts)]));
  const gathered = SENDING.flatMap(({ delivery }) => {
    const send = delivery.sends === "digest" ? delivery.createSender(parts) : undefined;
    return send ? [digestTasks({ db, log, send })] : [];
  });
  return Object.assign(deliveryTasks({ db, log, carriers }), ...gathered);
}

function carrierOf({ name, delivery }: SendingChannel, parts: SenderParts): Carrier | undefined {
  if (delivery.sends === "event") return delivery.createCarrier(parts);
  const send = delivery.sends === "notification" ? delivery.createSender(parts) : undefined;
  return send && notificationCarrier(parts.db, name, send);
}

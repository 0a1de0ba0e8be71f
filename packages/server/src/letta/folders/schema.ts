/** Folders on the wire, where the old word is "source". */
import type { JsonObject } from "@memoir/core";
import { z } from "zod";
import { EmbeddingConfigWire } from "../models/schema.ts";
import { WireObject } from "../shared/fields.ts";

export interface SourceWire {
  id: string;
  name: string;
  description: string | null;
  instructions: string | null;
  metadata: JsonObject | null;
  embedding_config: EmbeddingConfigWire;
  vector_db_provider: "native";
  organization_id: string;
  created_by_id: string | null;
  last_updated_by_id: string | null;
  created_at: string | null;
  updated_at: string | null;
}

export const SourceWire: z.ZodType<SourceWire> = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    instructions: z.string().nullable(),
    metadata: WireObject.nullable(),
    embedding_config: EmbeddingConfigWire,
    vector_db_provider: z.literal("native"),
    organization_id: z.string(),
    created_by_id: z.string().nullable(),
    last_updated_by_id: z.string().nullable(),
    created_at: z.string().nullable(),
    updated_at: z.string().nullable(),
  })
  .meta({ id: "Source" });

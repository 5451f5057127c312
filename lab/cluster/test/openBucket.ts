import { PutBucketPolicyCommand, S3Client } from "@aws-sdk/client-s3";
import type { S3Server } from "../../../test/support/mirror/s3Server";

/** Lets everybody read the objects. This simulates a bucket behind a company's own web address. */
export async function openBucket({ endpoint, environment }: S3Server, bucket: string): Promise<void> {
  const credentials = {
    accessKeyId: environment.AWS_ACCESS_KEY_ID ?? "",
    secretAccessKey: environment.AWS_SECRET_ACCESS_KEY ?? "",
  };
  const client = new S3Client({ endpoint, credentials, region: "us-east-1", forcePathStyle: true });
  const statement = { Effect: "Allow", Principal: "*", Action: "s3:GetObject", Resource: `arn:aws:s3:::${bucket}/*` };
  const policy = { Version: "2012-10-17", Statement: [statement] };
  await client.send(new PutBucketPolicyCommand({ Bucket: bucket, Policy: JSON.stringify(policy) }));
  client.destroy();
}

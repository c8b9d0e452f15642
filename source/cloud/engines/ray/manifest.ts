// Manifests that start a Ray cluster for deployctl: a KubeRay RayCluster, or a batch job of Slurm.
import { stringify } from "yaml";

export interface ClusterShape {
  /** Name of the cluster, and of its token's secret on Kubernetes. */
  name: string;
  /** Machines that run replicas; on Slurm the first one also runs Ray's head. */
  nodes: number;
  cpusPerNode: number;
  memoryGiBPerNode: number;
  gpusPerNode: number;
}

export interface KubernetesShape extends ClusterShape {
  /** Image with Ray, jinja2 and, for models of modelctl, Node and modelctl. */
  image: string;
}

/** Version of Ray that the tests run. */
export const rayVersion = "2.58.0";
const gcsPort = 6379;
const dashboardPort = 8265;
const servePort = 8000;
/** Ray's head runs Serve's controller and a proxy, and no replicas. */
const headLimits = { cpu: "2", memory: "8Gi" };
/** Replicas do not use Ray's object store, which would take a third of the memory. */
const objectStoreBytes = 200_000_000;

/** @returns a RayCluster for `kubectl apply -f -`; needs KubeRay 1.5 or newer */
export function kubernetesManifest(shape: KubernetesShape): string {
  // Kubernetes reads YAML 1.1, in which a bare `no` is false.
  const options = { version: "1.1", aliasDuplicateObjects: false, lineWidth: 0 } as const;
  return stringify(rayCluster(shape), options);
}

/** Returns the manifest as a document. */
export function rayCluster(shape: KubernetesShape): object {
  const { name, image, nodes, cpusPerNode, memoryGiBPerNode, gpusPerNode } = shape;
  const limits = {
    cpu: String(cpusPerNode),
    memory: `${memoryGiBPerNode}Gi`,
    ...(gpusPerNode > 0 && { "nvidia.com/gpu": String(gpusPerNode) }),
  };
  const store = { "object-store-memory": String(objectStoreBytes) };
  return {
    apiVersion: "ray.io/v1",
    kind: "RayCluster",
    metadata: { name },
    spec: {
      rayVersion,
      // KubeRay generates the token, in a secret with the cluster's name.
      authOptions: { mode: "token" },
      headGroupSpec: {
        rayStartParams: { "dashboard-host": "0.0.0.0", "num-cpus": "0", ...store },
        template: podOf({
          name: "ray-head",
          image,
          resources: { limits: headLimits, requests: headLimits },
          ports: [
            { containerPort: gcsPort, name: "gcs-server" },
            { containerPort: dashboardPort, name: "dashboard" },
            { containerPort: servePort, name: "serve" },
          ],
        }),
      },
      workerGroupSpecs: [
        {
          groupName: "workers",
          replicas: nodes,
          minReplicas: nodes,
          maxReplicas: nodes,
          rayStartParams: store,
          template: podOf({
            name: "ray-worker",
            image,
            resources: { limits, requests: limits },
          }),
        },
      ],
    },
  };
}

function podOf(container: object): object {
  return { spec: { containers: [container] } };
}

/** @returns a script for `sbatch`, which keeps the cluster running as long as the job */
export function slurmScript(shape: ClusterShape): string {
  const { name, nodes, cpusPerNode, memoryGiBPerNode, gpusPerNode } = shape;
  const gpus = gpusPerNode > 0 ? `#SBATCH --gpus-per-node=${gpusPerNode}\n` : "";
  return `#!/bin/bash
#SBATCH --job-name=${name}
#SBATCH --nodes=${nodes}
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=${cpusPerNode}
#SBATCH --mem=${memoryGiBPerNode}G
${gpus}#SBATCH --output=${name}-%j.log

# Ray ${rayVersion} and jinja2 must be on the PATH of every node, for example from a virtual environment:
# source "$HOME/ray/bin/activate"

set -euo pipefail
umask 077

# The token is in the home folder, which the nodes share.
export RAY_AUTH_MODE=token
export RAY_AUTH_TOKEN_PATH="$HOME/.${name}-token"
[ -s "$RAY_AUTH_TOKEN_PATH" ] || od -An -N32 -tx1 /dev/urandom | tr -d ' \\n' > "$RAY_AUTH_TOKEN_PATH"

head=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
on_head() { srun --overlap --nodes=1 --ntasks=1 --nodelist="$head" "$@"; }
address=$(on_head hostname --ip-address | awk '{print $1}')

on_head ray start --head --block --disable-usage-stats \\
  --node-ip-address="$address" --port=${gcsPort} \\
  --dashboard-host="$address" --dashboard-port=${dashboardPort} \\
  --num-cpus=${cpusPerNode} --num-gpus=${gpusPerNode} \\
  --object-store-memory=${objectStoreBytes} &

until (exec 3<> "/dev/tcp/$address/${gcsPort}") 2> /dev/null; do sleep 1; done
echo "deployctl engine use ray --address http://$address:${dashboardPort} --token-file $RAY_AUTH_TOKEN_PATH"

if [ "$SLURM_JOB_NUM_NODES" -gt 1 ]; then
  workers=$((SLURM_JOB_NUM_NODES - 1))
  srun --nodes="$workers" --ntasks="$workers" --exclude="$head" \\
    ray start --block --address="$address:${gcsPort}" \\
    --num-cpus=${cpusPerNode} --num-gpus=${gpusPerNode} \\
    --object-store-memory=${objectStoreBytes} &
fi

# The job ends with the first part that does.
wait -n
`;
}

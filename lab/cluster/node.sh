#!/bin/sh
# The first process of a node. It has its own mounts, processes and network. They end together with this process, so
# nothing that this script mounts or starts needs another clean-up. Descriptor 3 is the machine's network namespace.
#
# Environment: NODE_FOLDER with the configuration files, and the addresses of network.ts.
set -eu

ip link set lo up
nsenter --net=/proc/self/fd/3 ip link set "$NODE_END" netns 1 name eth0
ip address add "$NODE_ADDRESS/30" dev eth0
ip link set eth0 up
ip route add default via "$HOST_ADDRESS"
echo 1 >/proc/sys/net/ipv4/ip_forward
# With this setting, the rules of kube-proxy also apply to requests from a pod to its own Service.
[ ! -e /proc/sys/net/bridge/bridge-nf-call-iptables ] || echo 1 >/proc/sys/net/bridge/bridge-nf-call-iptables

# The programs write to these folders, and have no setting that changes this.
for place in /run /var/lib /var/log; do
  mount -t tmpfs tmpfs "$place"
done
# The folder of the pods' files. It is shared, so that containerd passes the mounts in it on to the pods.
mount --bind "$NODE_FOLDER/kubelet" "$NODE_FOLDER/kubelet"
mount --make-shared "$NODE_FOLDER/kubelet"

containerd --config "$NODE_FOLDER/containerd.toml" --log-level warn 2>"$NODE_FOLDER/containerd.log" &
until [ -S /run/containerd/containerd.sock ]; do sleep 0.1; done
kubelet --config="$NODE_FOLDER/kubelet.json" --kubeconfig="$NODE_FOLDER/kubeconfig" --hostname-override=node \
  --root-dir="$NODE_FOLDER/kubelet" --cert-dir="$NODE_FOLDER/kubelet-certificates" --v=1 2>"$NODE_FOLDER/kubelet.log" &
kube-proxy --config="$NODE_FOLDER/kube-proxy.json" --hostname-override=node 2>"$NODE_FOLDER/kube-proxy.log" &
wait

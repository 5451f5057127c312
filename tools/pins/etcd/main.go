// Command etcd is the store of the Kubernetes API server. Its own main package lies in no module of its releases.
package main

import (
	"os"

	"go.etcd.io/etcd/server/v3/etcdmain"
)

func main() {
	etcdmain.Main(os.Args)
}

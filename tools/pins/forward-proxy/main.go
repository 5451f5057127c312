// Command forward-proxy is a forward proxy for tests. It opens tunnels to the hosts that it is given, each an address on this
// machine, and writes a line for each CONNECT. It has no name server, so that it reaches nothing else.
package main

import (
	"encoding/base64"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"strings"

	"github.com/elazarl/goproxy"
)

// Set at the build.
var version = "none"

func main() {
	hosts := flag.String("hosts", "", "hosts with ports and where they are: docs.example.test:443=127.0.0.1:8443,…")
	user := flag.String("user", "", "name:password that clients must give")
	shows := flag.Bool("version", false, "tells the version")
	flag.Parse()
	if *shows {
		fmt.Println(version)
		return
	}
	known := map[string]string{}
	for _, pair := range strings.Split(*hosts, ",") {
		if host, address, found := strings.Cut(pair, "="); found {
			known[host] = address
		}
	}
	proxy := goproxy.NewProxyHttpServer()
	proxy.ConnectDial = func(network, host string) (net.Conn, error) {
		address, found := known[host]
		if !found {
			return nil, fmt.Errorf("no such host: %s", host)
		}
		return net.Dial(network, address)
	}
	proxy.OnRequest().HandleConnectFunc(func(host string, ctx *goproxy.ProxyCtx) (*goproxy.ConnectAction, string) {
		if *user != "" && ctx.Req.Header.Get("Proxy-Authorization") != "Basic "+base64.StdEncoding.EncodeToString([]byte(*user)) {
			fmt.Println("CONNECT 407 " + host)
			ctx.Resp = goproxy.NewResponse(ctx.Req, "text/html", http.StatusProxyAuthRequired, "<html>Who are you?</html>")
			ctx.Resp.Header.Set("Proxy-Authenticate", "Basic realm=proxy")
			return goproxy.RejectConnect, host
		}
		fmt.Println("CONNECT 200 " + host)
		return goproxy.OkConnect, host
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("listening on " + listener.Addr().String())
	log.Fatal(http.Serve(listener, proxy))
}

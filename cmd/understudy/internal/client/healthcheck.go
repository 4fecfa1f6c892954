package client

import (
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
	"github.com/understudy-sandbox/understudy/emulator"
)

func healthcheckCommand() *cli.Command {
	return &cli.Command{
		Name:  "healthcheck",
		Usage: "exit 0 when a running emulator is ready, 1 when it is not",
		Description: `It finds the emulator by --url-file or --url, or by the flags and variables of serve. Examples:

   understudy healthcheck --wait 10s                  wait until it is ready, for 10 s at most
   understudy healthcheck --url http://127.0.0.1:9090
   understudy healthcheck --url-file url --wait 10s   of understudy serve --addr 127.0.0.1:0 --url-file url

For containers, which have no shell and no curl:

   HEALTHCHECK CMD ["/understudy", "healthcheck"]`,
		Flags: append([]cli.Flag{urlFlag(), command.JSONFlag(command.EmulatorCategory)},
			command.Text(command.AddressCategory, "url-file", "", "check the emulator whose URL is in `FILE`, which serve --url-file writes"),
			command.Text(command.AddressCategory, "tls-cert", "", "use https, as serve --tls-cert `FILE` does"),
			command.Text(command.AddressCategory, "tls-key", "", "use https, as serve --tls-key `FILE` does"),
			command.Toggle(command.AddressCategory, "tls-auto", "use https, as serve --tls-auto does"),
			command.Text(command.AddressCategory, "addr", command.DefaultAddr, "check the emulator that listens on `HOST:PORT`; without a host, or with 0.0.0.0, on this machine"),
			command.Text(command.AddressCategory, "control-addr", "", "check the control plane on `HOST:PORT`, as serve --control-addr has it"),
			&cli.DurationFlag{Name: "timeout", Value: 2 * time.Second, Usage: "wait `TIME` for an answer"},
			&cli.DurationFlag{Name: "wait", Usage: "ask again until the emulator is ready, for `TIME` at most"},
		),
		Action: healthcheck,
	}
}

// retryEvery is the time between two attempts of healthcheck --wait.
const retryEvery = 100 * time.Millisecond

func healthcheck(ctx context.Context, c *cli.Command) error {
	find, flag, err := healthURL(c)
	if err != nil {
		return err
	}
	timeout, wait := c.Duration("timeout"), c.Duration("wait")
	if timeout <= 0 {
		return fmt.Errorf("%s %s is not above 0: give a time such as 2s", command.Given(c, "timeout"), timeout)
	}
	if wait < 0 {
		return fmt.Errorf("%s %s is below 0: give a time such as 10s", command.Given(c, "wait"), wait)
	}
	waiting, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	asking := ctx
	if wait > 0 {
		asking = waiting
	}
	var reason error
	for {
		var answer []byte
		base, err := find()
		if err == nil {
			answer, err = ready(asking, timeout, base, command.Given(c, flag))
		}
		switch {
		case err == nil && c.Bool("json"):
			return command.Write(c, string(answer)+"\n")
		case err == nil:
			return nil
		}
		if errors.Is(err, errOtherServer) {
			return command.Failed(err)
		}
		if reason == nil || asking.Err() == nil { // an attempt that the end of the time cuts off has no reason of its own
			reason = err
		}
		select {
		case <-waiting.Done():
			return command.Failed(fmt.Errorf("not ready: %w", reason))
		case <-time.After(retryEvery):
		}
	}
}

// healthURL returns a function that finds the base URL of the emulator to check, and the flag that names it: --url-file, --url,
// or an address of serve. The function fails as long as there is no file.
func healthURL(c *cli.Command) (find func() (string, error), flag string, err error) {
	addresses := []string{"addr", "control-addr", "tls-cert", "tls-key", "tls-auto"}
	byFile, fileErr := command.Prefers(c, "url-file", append(addresses, "url")...)
	byURL, urlErr := command.Prefers(c, "url", addresses...)
	if err := cmp.Or(fileErr, urlErr); err != nil {
		return nil, "", err
	}
	if byFile {
		return func() (string, error) { return readURLFile(c) }, "url-file", nil
	}
	if byURL {
		base, err := parseURL(c)
		return func() (string, error) { return base, nil }, "url", err
	}
	flag = "addr"
	if c.String("control-addr") != "" {
		flag = "control-addr"
	}
	host, port, err := command.SplitAddr(c, flag)
	if err == nil && port == "0" {
		err = command.Misused(c, flag, "is a free port of serve, which its start line shows: name the emulator with --url")
	}
	base := command.Schemes[command.ServesTLS(c)] + net.JoinHostPort(command.Loopback(host), port)
	return func() (string, error) { return base, nil }, flag, err
}

// errOtherServer is the error of a server that does not become an emulator while healthcheck waits.
var errOtherServer = errors.New("is not an emulator")

// ready returns the answer of an emulator that is ready. Its error is the reason why it is not; name is the setting that gave
// the URL.
func ready(ctx context.Context, timeout time.Duration, base, name string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, base+emulator.ControlPrefix+"v1/ready", nil)
	if err != nil {
		return nil, err
	}
	// The check runs beside the server, whose certificate may be for other names.
	client := http.Client{Timeout: timeout, Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}}
	response, err := client.Do(request)
	if errors.Is(err, http.ErrSchemeMismatch) {
		return nil, errPlain(base, name)
	}
	if err != nil {
		return nil, fmt.Errorf("no answer from %s: %w: start understudy serve, or name its address with %s", request.URL.Redacted(), causeOf(err), name)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, 64<<10))
	if err != nil {
		return nil, fmt.Errorf("the answer of %s broke off: %w", request.URL.Redacted(), causeOf(err))
	}
	var is struct{ Status string }
	if json.Unmarshal(body, &is) == nil && is.Status == "ready" && response.StatusCode == http.StatusOK {
		return body, nil
	}
	plain := response.StatusCode == http.StatusBadRequest && strings.HasPrefix(base, "http://")               // maybe from a server of https
	if !plain && response.StatusCode < http.StatusInternalServerError && errorMessage(response, body) == "" { // a proxy may answer 502
		return nil, fmt.Errorf("%s %w: it answers %s: start understudy serve, or name its address with %s",
			request.URL.Redacted(), errOtherServer, response.Status, name)
	}
	reason := strings.TrimSuffix(response.Status+": "+errorMessage(response, body), ": ")
	if plain {
		reason += ": if it serves https, add --tls-auto, or https to its URL"
	}
	return nil, fmt.Errorf("%s answers %s", request.URL.Redacted(), reason)
}

// readShort reads a file as short as that of --url-file. It does not wait for the writer of a pipe.
func readShort(path string) (string, error) {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return "", cmp.Or(err, errors.New("it is not a regular file"))
	}
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, 4<<10))
	return string(text), err
}

// readURLFile returns the last URL of the file of --url-file, at which the control plane is served.
func readURLFile(c *cli.Command) (string, error) {
	path, name := c.String("url-file"), command.Given(c, "url-file")
	text, err := readShort(path)
	if inPath := (*fs.PathError)(nil); errors.As(err, &inPath) {
		err = inPath.Err
	}
	if err != nil {
		return "", fmt.Errorf("%s %s cannot be read: %w: start understudy serve --url-file, or name its file", name, path, err)
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	base, ok := parseBase(lines[len(lines)-1])
	if !ok {
		return "", fmt.Errorf("%s %s has no URL: name the file of understudy serve --url-file", name, path)
	}
	return base, nil
}

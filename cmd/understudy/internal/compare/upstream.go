package compare

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Bounds of an answer.
const (
	timeout = 30 * time.Second
	maxBody = 16 << 20
)

// upstream is the sandbox. It gets one request at a time. No redirect is followed.
type upstream struct {
	url, key  string
	transport http.RoundTripper
	pause     time.Duration // between two requests
	started   bool
}

// newUpstream returns the sandbox at a URL. The URL and the key pass [checkURL] and [checkKey].
func newUpstream(url, key string, transport http.RoundTripper) *upstream {
	return &upstream{url: strings.TrimRight(url, "/"), key: key, transport: transport, pause: 200 * time.Millisecond}
}

// checkURL returns an error unless a URL is that of a sandbox to which a key may be sent. The error does not contain the URL,
// which may have a password.
func checkURL(text string) error {
	base, err := url.Parse(text)
	switch {
	case err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Hostname() == "":
		return errors.New("is not the URL of a sandbox, such as https://sandbox.example.com/v1")
	case base.User != nil:
		return errors.New("has a user or a password: leave them out")
	case base.RawQuery != "" || base.Fragment != "":
		return errors.New("has a query or a fragment: leave it out")
	case base.Scheme == "http" && base.Hostname() != "localhost" && !net.ParseIP(base.Hostname()).IsLoopback():
		return errors.New("is not https: a key is sent without encryption to this machine only")
	}
	return nil
}

// checkKey returns an error unless a key is a secret key of a sandbox (spec 5): PREFIX_sk_test_ and 1 to 128 characters. The
// error does not contain the key.
func checkKey(prefix, key string) error {
	if regexp.MustCompile(`^` + regexp.QuoteMeta(prefix) + `_sk_test_[A-Za-z0-9_-]{1,128}$`).MatchString(key) {
		return nil
	}
	return fmt.Errorf("is not the secret key of a sandbox, which begins with %s_sk_test_: no other key is sent", prefix)
}

// answer is an answer of the upstream or of the emulator.
type answer struct {
	status  int // 0: none
	header  http.Header
	value   any    // the body
	problem string // why there is no answer, or no value
}

// get sends a request.
func (u *upstream) get(ctx context.Context, request Request) (answer, error) {
	if u.started {
		select {
		case <-ctx.Done():
			return answer{}, ctx.Err()
		case <-time.After(u.pause):
		}
	}
	u.started = true
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	r, err := request.http(limited, u.url, u.key)
	if err != nil {
		return answer{}, err
	}
	response, err := u.transport.RoundTrip(r) // which follows no redirects
	if err != nil {
		return noAnswer(ctx, err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxBody+1))
	if err != nil {
		return noAnswer(ctx, err)
	}
	return newAnswer(response.StatusCode, response.Header, body), nil
}

// noAnswer returns the answer to a request that failed. It returns an error if the others would fail too. The text of another
// cause is not shown: it may have bytes of the answer.
func noAnswer(ctx context.Context, cause error) (answer, error) {
	dial, untrusted := (*net.OpError)(nil), (*tls.CertificateVerificationError)(nil)
	switch {
	case ctx.Err() != nil:
		return answer{}, ctx.Err()
	case errors.As(cause, &untrusted):
		return answer{}, fmt.Errorf("its certificate is not trusted: %w", untrusted.Err)
	case errors.As(cause, &dial) && dial.Op == "dial":
		return answer{}, dial.Err
	case errors.Is(cause, context.DeadlineExceeded):
		return answer{problem: fmt.Sprintf("the answer is not complete within %s", timeout)}, nil
	}
	return answer{problem: "the connection broke off, or what it carried is not HTTP"}, nil
}

func newAnswer(status int, header http.Header, body []byte) answer {
	got := answer{status: status, header: header}
	switch {
	case len(body) > maxBody:
		got.problem = fmt.Sprintf("longer than %d MiB", maxBody>>20)
	case !jsontext.Value(body).IsValid(): // refuses a key that comes twice
		got.problem = "not JSON with each key once, in UTF-8"
	default:
		decoder := json.NewDecoder(strings.NewReader(string(body)))
		decoder.UseNumber()
		if err := decoder.Decode(&got.value); err != nil {
			got.problem = "not JSON"
		}
	}
	return got
}

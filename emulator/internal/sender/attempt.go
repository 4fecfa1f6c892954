package sender

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/understudy-sandbox/understudy/emulator/internal/delivery"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
	"github.com/understudy-sandbox/understudy/scenarios"
	"github.com/understudy-sandbox/understudy/store"
)

// What a receiver may take.
const (
	answerTime = 10 * time.Second
	maxAnswer  = 64 << 10        // bytes of its body that are read
	renewal    = 2 * time.Second // of the claim, while it takes long
)

// ErrRefused is the error of an address to which no webhook is sent.
var ErrRefused = errors.New("the address is neither loopback nor private: allow the host with --webhook-host")

// NewClient returns a client for attempts, without redirects.
func NewClient(transport http.RoundTripper, targets delivery.Targets) *http.Client {
	if transport == nil {
		transport = network(targets)
	}
	return &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// network returns the usual transport of attempts: without proxy, cookies and kept connections. It checks each address when it is
// dialled, so that a name cannot lead elsewhere later.
func network(targets delivery.Targets) *http.Transport {
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		host, _, err := net.SplitHostPort(address)
		if err != nil {
			return nil, err
		}
		dialer := net.Dialer{Control: func(_, resolved string, _ syscall.RawConn) error {
			addr, err := netip.ParseAddrPort(resolved)
			if err == nil && !targets.Allows(host, addr.Addr()) {
				err = ErrRefused
			}
			return err
		}}
		return dialer.DialContext(ctx, network, address)
	}
	return &http.Transport{DialContext: dial, DisableKeepAlives: true, DisableCompression: true, MaxResponseHeaderBytes: maxAnswer}
}

// attempt attempts a delivery, and records the result in its world and its journal.
func (s *Sender) attempt(w *work, due delivery.Item) {
	taken, failed := 0, 0
	defer func() {
		s.change(w, func() {
			delete(w.busy, line{due.Generation, due.Webhook})
			w.sent, w.failed = w.sent+taken, w.failed+failed
		})
		s.Rouse(w.id)
	}()
	if s.attempts.Acquire(s.stopping, 1) != nil {
		return
	}
	defer s.attempts.Release(1)
	var letter delivery.Letter
	var ok bool
	err := s.in(s.stopping, due, func(o *delivery.Outbox) (err error) {
		letter, ok, err = o.Begin(due)
		return err
	})
	if err != nil || !ok {
		if err != nil {
			s.later(w.id, "webhook not begun", err)
		}
		return
	}
	if s.Worlds.Config().Store.Shared() {
		ctx, cancel := context.WithCancel(s.stopping)
		defer cancel()
		go s.renew(ctx, due)
	}
	began := time.Now()
	answer := s.post(letter)
	result := delivery.Attempt{At: letter.At.UTC(), Status: answer.status, Error: answer.failure()}
	s.insist(w.id, "result of a webhook not stored", func(ctx context.Context) error { // it would be sent once more
		return s.in(ctx, due, func(o *delivery.Outbox) error { return o.Finish(due, result) })
	})
	if result.Error == "" {
		taken = 1
		s.Taken.Add(1)
	} else {
		failed = 1
		s.Refused.Add(1)
	}
	s.record(letter, answer, began)
}

// in runs fn with the deliveries of the world of one, in a transaction.
func (s *Sender) in(ctx context.Context, due delivery.Item, fn func(*delivery.Outbox) error) error {
	return s.Worlds.ByID(due.World).Do(ctx, func(tx *world.Tx) error { return fn(&tx.Outbox) })
}

// insist repeats what the store has refused, until it takes it or the sender stops.
func (s *Sender) insist(id, what string, fn func(context.Context) error) {
	for {
		err := fn(context.WithoutCancel(s.stopping))
		if err == nil || errors.Is(err, store.ErrClosed) || s.stopping.Err() != nil {
			return
		}
		s.later(id, what, err)
	}
}

// later logs an error of the store, and looks again after a pause.
func (s *Sender) later(id, what string, err error) {
	s.failure(what, id, err)
	s.pause()
}

// answer is the result of an attempt.
type answer struct {
	sent   http.Header
	status int // 0: none
	header http.Header
	body   []byte
	err    error
}

// failure says why the attempt has failed, "" where it has not.
func (a answer) failure() string {
	cause := a.err
	for wrapped := (*url.Error)(nil); errors.As(cause, &wrapped); { // its text repeats the address
		cause = wrapped.Err
	}
	switch {
	case errors.Is(a.err, context.DeadlineExceeded):
		return "no answer within " + answerTime.String()
	case cause != nil:
		return cause.Error()
	case a.status/100 == 3:
		return fmt.Sprintf("the receiver answered %d: a redirect is not followed", a.status)
	case a.status/100 != 2:
		return fmt.Sprintf("the receiver answered %d", a.status)
	}
	return ""
}

// post sends a delivery.
func (s *Sender) post(l delivery.Letter) answer {
	if l.Manner == string(scenarios.Manners.Lost) {
		return answer{err: errors.New("lost, as its rule says: it was not sent")}
	}
	ctx, cancel := context.WithTimeout(s.underway, answerTime)
	defer cancel()
	return s.send(ctx, l)
}

// renew renews the claim to a delivery until ctx ends: receiver and store may be slow.
func (s *Sender) renew(ctx context.Context, due delivery.Item) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(renewal):
			err := s.in(ctx, due, func(o *delivery.Outbox) error { return o.Renew(due) })
			if err != nil && ctx.Err() == nil {
				s.failure("claim to a webhook not renewed", due.World, err)
			}
		}
	}
}

// send sends one request, and reads its answer.
func (s *Sender) send(ctx context.Context, l delivery.Letter) (a answer) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, l.Subscription.URL, strings.NewReader(l.Body))
	if err != nil {
		return answer{err: err}
	}
	token := l.Subscription.Token
	if l.Manner == string(scenarios.Manners.WrongToken) {
		token = "wrong-" + token
	}
	r.Header = http.Header{"Content-Type": {"application/json"}, "User-Agent": {"Understudy"}}
	r.Header.Set(s.TokenHeader, token)
	a.sent = r.Header
	response, err := s.client.Do(r)
	if err != nil {
		a.err = err
		return a
	}
	defer response.Body.Close()
	a.status, a.header = response.StatusCode, response.Header
	a.body, err = io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil && a.status/100 != 2 { // the status of a success counts, whatever follows
		a.err = err
	}
	return a
}

// record writes an attempt to the journal of its world.
func (s *Sender) record(l delivery.Letter, a answer, began time.Time) {
	if !s.Journal.On() {
		return
	}
	sent := journal.Request{
		Kind: journal.KindWebhook, Method: http.MethodPost, Path: l.Subscription.URL, Header: a.sent, Body: []byte(l.Body), Size: int64(len(l.Body)),
	}
	e := journal.NewEntry(sent, a.body, a.header)
	e.ID, e.Delivery, e.Status, e.Rule = ulid.Make().String(), l.ID, a.status, l.Rule
	e.Time, e.Wall, e.Duration = l.At, began, time.Since(began)
	e.Diagnosis = []string{fmt.Sprintf("%s of webhook %d, attempt %d", l.ID, l.Subscription.ID, len(l.Attempts)+1)}
	if why := a.failure(); why != "" {
		e.Diagnosis = append(e.Diagnosis, why)
	}
	const what = "attempt of a webhook not in the journal"
	s.insist(l.Journal.World, what, func(ctx context.Context) error {
		err := s.Journal.Append(ctx, l.Journal, e)
		if errors.Is(err, store.ErrOutcomeUnknown) { // it may be there, and an attempt is there once
			s.failure(what, l.Journal.World, err)
			return nil
		}
		return err
	})
}

package etcd

import (
	"maps"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/balancer"
	"google.golang.org/grpc/balancer/roundrobin"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// wary takes the members in turn, and passes over one that has lately let a call run out of time: else each of the next tries
// of the call might meet it again.
const wary = "understudy_wary"

func init() { balancer.Register(waryBuilder{}) }

// balanced has a client's calls go to its members by wary.
func balanced() []grpc.DialOption {
	return []grpc.DialOption{
		grpc.WithDisableServiceConfig(), // which etcd's client makes: in turn, and no more
		grpc.WithDefaultServiceConfig(`{"loadBalancingConfig": [{"` + wary + `": {}}]}`),
	}
}

// avoidTime is for how long a member is passed over: within it gRPC finds out that nobody is there.
const avoidTime = 5 * time.Second

type waryBuilder struct{}

func (waryBuilder) Name() string { return wary }

func (waryBuilder) Build(conn balancer.ClientConn, options balancer.BuildOptions) balancer.Balancer {
	return balancer.Get(roundrobin.Name).Build(waryConn{conn, &lateness{until: make(map[balancer.SubConn]time.Time)}}, options)
}

// waryConn has the members that are taken in turn pass by lateness.
type waryConn struct {
	balancer.ClientConn
	late *lateness
}

func (c waryConn) UpdateState(state balancer.State) {
	state.Picker = waryPicker{state.Picker, c.late}
	c.ClientConn.UpdateState(state)
}

type waryPicker struct {
	next balancer.Picker
	late *lateness
}

// Pick takes the next member that is not late, or else any.
func (p waryPicker) Pick(info balancer.PickInfo) (balancer.PickResult, error) {
	picked, err := p.next.Pick(info)
	for range p.late.members() {
		if err != nil || !p.late.is(picked.SubConn) {
			break
		}
		picked, err = p.next.Pick(info)
	}
	if err != nil {
		return picked, err
	}
	done := picked.Done
	picked.Done = func(how balancer.DoneInfo) {
		if done != nil {
			done(how)
		}
		p.late.note(picked.SubConn, how)
	}
	return picked, nil
}

// lateness has the members that let a call run out of time, and until when they are passed over.
type lateness struct {
	mu    sync.Mutex
	until map[balancer.SubConn]time.Time
}

// members is how many there may be that are passed over.
func (l *lateness) members() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.until)
}

func (l *lateness) is(member balancer.SubConn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return time.Now().Before(l.until[member])
}

// note takes in how a call of a member ended.
func (l *lateness) note(member balancer.SubConn, how balancer.DoneInfo) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case how.BytesReceived:
		delete(l.until, member)
	case status.Code(how.Err) == codes.DeadlineExceeded:
		now := time.Now()
		maps.DeleteFunc(l.until, func(_ balancer.SubConn, until time.Time) bool { return now.After(until) })
		l.until[member] = now.Add(avoidTime)
	}
}

package console

import (
	"fmt"
	"net/http"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/limits"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
)

func showSnapshot(x *exchange) (answer, error) {
	return page{name: "snapshot", title: "Snapshots", data: struct{ Prefix string }{x.Key("")}}, nil
}

func takeSnapshot(x *exchange) (answer, error) {
	file, err := x.Limits.Snapshot(x.context(), x.owner(), x.world.WriteSnapshot)
	return snapshotFile{file}, err
}

// snapshotFile is a snapshot to be downloaded.
type snapshotFile struct{ *limits.File }

func (f snapshotFile) write(x *exchange) error {
	name := fmt.Sprintf("understudy-%.8s-%s.ndjson", x.status.ID, x.status.Now.Format("20060102T150405Z"))
	x.writer.Header().Set("Content-Disposition", `attachment; filename="`+name+`"`)
	f.ServeHTTP(x.writer, x.request)
	return nil
}

// restoreSnapshot restores an uploaded file. The form has a box to confirm that this replaces everything.
func restoreSnapshot(x *exchange) (answer, error) {
	file, err := x.Limits.File(x.context(), x.owner())
	if err != nil {
		return nil, err
	}
	defer file.Close()
	switch chosen, err := x.upload(file); {
	case err != nil:
		return nil, err
	case !chosen:
		return nil, errNoFile
	case x.value("sure") == "":
		return nil, api.Because(http.StatusBadRequest, "The file replaces everything in this world: check the box if that is meant")
	}
	x.allowTime()
	err = x.Limits.Turn(x.context(), x.owner(), func() error {
		_, err := x.world.RestoreFrom(x.context(), file)
		return err
	})
	return done(x.here(), "restored"), err
}

// allowTime gives the answer the time that a restore may take.
func (x *exchange) allowTime() {
	http.NewResponseController(x.writer).SetWriteDeadline(time.Now().Add(world.RestoreTime)) // it fails where there are no deadlines
}

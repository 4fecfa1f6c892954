package worlds

import (
	"fmt"
	"net/http"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/frame"
	"github.com/understudy-sandbox/understudy/emulator/internal/limits"
	"github.com/understudy-sandbox/understudy/emulator/internal/registry"
)

func showSnapshot(x *frame.Exchange) (frame.Answer, error) {
	return frame.Page{Name: "snapshot", Title: "Snapshots", Data: struct{ Prefix string }{x.Key("")}}, nil
}

func takeSnapshot(x *frame.Exchange) (frame.Answer, error) {
	file, err := x.Limits.Snapshot(x.Context(), x.Owner(), x.World.WriteSnapshot)
	return snapshotFile{file}, err
}

// snapshotFile is a snapshot to be downloaded.
type snapshotFile struct{ *limits.File }

func (f snapshotFile) Respond(x *frame.Exchange) error {
	name := fmt.Sprintf("understudy-%.8s-%s.ndjson", x.Status.ID, x.Status.Now.Format("20060102T150405Z"))
	x.Writer.Header().Set("Content-Disposition", `attachment; filename="`+name+`"`)
	f.ServeHTTP(x.Writer, x.Request)
	return nil
}

// restoreSnapshot restores an uploaded file. The form has a box to confirm that this replaces everything.
func restoreSnapshot(x *frame.Exchange) (frame.Answer, error) {
	file, err := x.Limits.File(x.Context(), x.Owner())
	if err != nil {
		return nil, err
	}
	defer file.Close()
	switch chosen, err := x.Upload(file); {
	case err != nil:
		return nil, err
	case !chosen:
		return nil, frame.ErrNoFile
	case x.Value("sure") == "":
		return nil, api.Because(http.StatusBadRequest, "The file replaces everything in this world: check the box if that is meant")
	}
	return frame.Done(x.Here(), "restored"), restore(x, file)
}

// restore replaces the world by what a file has.
func restore(x *frame.Exchange, file *limits.File) error {
	allowTime(x)
	return x.Limits.Turn(x.Context(), x.Owner(), func() error {
		_, err := x.World.RestoreFrom(x.Context(), file)
		return err
	})
}

// allowTime gives the answer the time that a restore may take.
func allowTime(x *frame.Exchange) {
	http.NewResponseController(x.Writer).SetWriteDeadline(time.Now().Add(registry.RestoreTime)) // it fails where there are no deadlines
}

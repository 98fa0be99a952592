import Model
import SystemSupport

/// The list of all actions.
package enum ActionList {
  /// The actions in the order in which they are listed. A new action needs an entry here.
  package static let all: [any Action.Type] = [
    ListHighlights.self, MarkPassages.self, ShowHighlight.self, ChangeHighlight.self,
    ChangeHighlights.self, RemoveHighlights.self, RestoreHighlights.self, ReviewHighlights.self,
    ExplainPlace.self,
    HighlightLog.self, AcceptPlace.self, DetachHighlight.self, ListTags.self,
    RenameTags.self, RemoveTags.self, ListColors.self,
    SearchLibrary.self, FormatPassage.self, ListDocuments.self, ShowDocument.self,
    DocumentStatistics.self, ReplaceText.self, RenameDocument.self, LinkDocument.self,
    UnlinkDocument.self, RemoveDocument.self, RestoreDocument.self, ListHistory.self,
    UndoStep.self, RedoStep.self, ListTrash.self, RestoreFromTrash.self, EmptyTrash.self,
    ShowDocumentNote.self, SetDocumentNote.self, RefreshDocuments.self, DocumentOutline.self,
    ListLinks.self, ShowReadingPlace.self, KeepReadingPlace.self,
    ListQueries.self, RunQuery.self, SaveQuery.self, RemoveQuery.self, ListStyles.self,
    ShowStyle.self, SaveStyle.self, ChangeStyle.self, RemoveStyle.self, ListSources.self,
    SetSource.self, LinkSources.self, ListStrategies.self, LabelColor.self,
    FindText.self, CopyPassage.self, ShowFormat.self, ListFormats.self, ListFonts.self,
    ListFormatChoices.self, DrawCard.self,
    AddDocuments.self, SyncNow.self, ShowSync.self, ListSyncDevices.self, ListNoteChoices.self,
    SettleNote.self, ListSettings.self, ImportHighlights.self, ExportHighlights.self,
    CheckHighlights.self, CheckStaged.self, InstallHook.self, ReattachHighlight.self,
    MarkMatches.self, ChangeSetting.self,
    ShowDefaultFormat.self, SetDefaultFormat.self, CopyFormat.self, SetMargins.self,
    ShowStatus.self, CheckLibrary.self, RebuildIndex.self, BackUpLibrary.self,
    BeginSync.self, JoinSync.self, AskToJoin.self, ListJoiningDevices.self, LetDeviceIn.self,
    RevokeDevice.self, SetPassphrase.self, LeaveSync.self, VerifySync.self,
    ListSyncChanges.self,
    ListPairedDevices.self, AllowDevice.self, UnpairDevice.self, ExportDocuments.self,
  ]

  private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

  /// Returns the action with a name, or nil if there is no such action.
  package static func action(named name: String) -> (any Action.Type)? { byName[name] }

  /// Returns the error for an unknown name, which suggests the action with the most similar name.
  static func noAction(_ name: String) -> UserError {
    let names = all.map { $0.name }
    let near = Spelling.nearest(to: name, among: names)
    var error = UserError(
      .notFound, "there is no action '\(name)'",
      hint: near.map { Hint(Spelling.question($0)) },
      candidates: near.map { [$0] } ?? [])
    error.allowed = names
    return error
  }

  /// The name, summary, effect and request schema of each action, as JSON of the schema
  /// `diple.actions/1`.
  package static var json: String { JSON.line("diple.actions/1", all.map(ActionRecord.init)) }
}

/// The description of an action, an element of `diple.actions/1`.
private struct ActionRecord: Encodable {
  var name: String
  var summary: String
  var effect: ActionEffect
  /// The JSON schema of the request.
  var request: ActionSchema

  init(_ action: any Action.Type) {
    (name, summary, effect) = (action.name, action.summary, action.effect)
    request = ActionSchema(of: action)
  }
}

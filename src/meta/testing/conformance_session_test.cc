#include "meta/testing/metadata_store_conformance.h"

namespace lakestream {
namespace {

const Partition kLog7 = Partition::OfLog(LogId(7));
const std::string kLease = "/stream-write-leases/7/0b5c";
using Strings = std::vector<std::string>;

TEST_P(MetadataStoreConformance, AnEphemeralRecordIsARecord) {
  const std::shared_ptr<MetadataSession> session = OpenSession(store());
  ASSERT_NE(session, nullptr);
  EXPECT_TRUE(session->ProvablyAlive());
  const Result<WriteAnswer> created =
      Run(store().CreateEphemeral(Context(), kLog7, kLease, Buffer::CopyOf("0b5c"), session));
  ASSERT_TRUE(created.ok()) << created.status().ToString();
  const ReadAnswer record = Get(kLog7, kLease);
  ASSERT_TRUE(record);
  EXPECT_TRUE(record->ephemeral);
  EXPECT_EQ(record->session, session->id());
  EXPECT_EQ(record->value.text(), "0b5c");
  EXPECT_EQ(record->version, created->version);
  EXPECT_EQ(Keys(kLog7, "/stream-write-leases/7/", "/stream-write-leases/7/\xef\xbf\xbf"), Strings({kLease}));
  const std::vector<MetadataRecord> scanned =
      Records(kLog7, "/stream-write-leases/7/", "/stream-write-leases/7/\xef\xbf\xbf");
  ASSERT_EQ(scanned.size(), 1u);
  EXPECT_TRUE(scanned.front().ephemeral);
  EXPECT_EQ(scanned.front().session, session->id());
}

TEST_P(MetadataStoreConformance, CloseRemovesEphemeralRecordsBeforeItReturns) {
  const std::shared_ptr<MetadataSession> session = OpenSession(store());
  const std::optional<Partition> elsewhere = ElsewhereThan(kLog7);
  ASSERT_TRUE(elsewhere);
  ASSERT_TRUE(Run(store().CreateEphemeral(Context(), kLog7, kLease, Buffer(), session)).ok());
  ASSERT_TRUE(Run(store().CreateEphemeral(Context(), *elsewhere, "/e", Buffer(), session)).ok());
  ASSERT_TRUE(Put(kLog7, "/lasting", "v").ok());
  // The second client asks, which has no memory of its own of this session.
  MetadataStore& witness = other();
  ASSERT_TRUE(Run(session->Close(Context())).ok());
  EXPECT_FALSE(session->ProvablyAlive());
  EXPECT_FALSE(Run(witness.Get(Context(), kLog7, kLease))->has_value());
  EXPECT_FALSE(Run(witness.Get(Context(), *elsewhere, "/e"))->has_value());
  EXPECT_TRUE(Run(witness.Get(Context(), kLog7, "/lasting"))->has_value());
}

TEST_P(MetadataStoreConformance, EveryReadMissesTheEphemeralsOfAnEndedSession) {
  const std::shared_ptr<MetadataSession> session = OpenSession(store());
  ASSERT_TRUE(Run(store().CreateEphemeral(Context(), kLog7, kLease, Buffer(), session)).ok());
  ASSERT_TRUE(Run(session->Close(Context())).ok());
  EXPECT_EQ(KeyOf(kLog7, kLease, KeyComparison::kEqual), "none");
  EXPECT_EQ(KeyOf(kLog7, kLease + "z", KeyComparison::kFloor), "none");
  EXPECT_EQ(KeyOf(kLog7, "/", KeyComparison::kCeiling), "none");
  EXPECT_EQ(KeyOf(kLog7, "/", KeyComparison::kHigher), "none");
  EXPECT_TRUE(Keys(kLog7, "/stream-write-leases/7/", "/stream-write-leases/7/~").empty());
  EXPECT_TRUE(Records(kLog7, "/stream-write-leases/7/", "/stream-write-leases/7/~").empty());
  EXPECT_TRUE(Keys(std::nullopt, "/stream-write-leases/7/", "/stream-write-leases/7/~").empty());
}

TEST_P(MetadataStoreConformance, CloseMayBeRepeated) {
  const std::shared_ptr<MetadataSession> session = OpenSession(store());
  EXPECT_TRUE(Run(session->Close(Context())).ok());
  EXPECT_TRUE(Run(session->Close(Context())).ok());
  EXPECT_FALSE(session->ProvablyAlive());
}

TEST_P(MetadataStoreConformance, CreateEphemeralWithAnEndedSessionIsFenced) {
  const std::shared_ptr<MetadataSession> session = OpenSession(store());
  ASSERT_TRUE(Run(session->Close(Context())).ok());
  const Result<WriteAnswer> late = Run(store().CreateEphemeral(Context(), kLog7, kLease, Buffer(), session));
  EXPECT_EQ(late.status().code(), StatusCode::kFenced);
  EXPECT_EQ(ValueOf(kLog7, kLease), "none");
}

TEST_P(MetadataStoreConformance, CreateEphemeralWithoutASessionIsRefused) {
  const Result<WriteAnswer> none = Run(store().CreateEphemeral(Context(), kLog7, kLease, Buffer(), nullptr));
  EXPECT_EQ(none.status().code(), StatusCode::kInvalidArgument);
}

TEST_P(MetadataStoreConformance, CreateEphemeralOverARecordIsRefused) {
  const std::shared_ptr<MetadataSession> first = OpenSession(store());
  const std::shared_ptr<MetadataSession> second = OpenSession(other());
  ASSERT_TRUE(Put(kLog7, "/lasting", "v").ok());
  ASSERT_TRUE(Run(store().CreateEphemeral(Context(), kLog7, kLease, Buffer::CopyOf("1"), first)).ok());
  const Result<WriteAnswer> taken =
      Run(other().CreateEphemeral(Context(), kLog7, kLease, Buffer::CopyOf("2"), second));
  EXPECT_EQ(taken.status().code(), StatusCode::kAlreadyExists);
  const Result<WriteAnswer> lasting = Run(store().CreateEphemeral(Context(), kLog7, "/lasting", Buffer(), first));
  EXPECT_EQ(lasting.status().code(), StatusCode::kAlreadyExists);
  EXPECT_EQ(Create(kLog7, kLease, "3").status().code(), StatusCode::kAlreadyExists);
  EXPECT_EQ(ValueOf(kLog7, kLease), "1");
  // The loser's end does not touch the winner's record.
  ASSERT_TRUE(Run(second->Close(Context())).ok());
  EXPECT_EQ(ValueOf(kLog7, kLease), "1");
}

TEST_P(MetadataStoreConformance, SessionsAreIndependent) {
  const std::shared_ptr<MetadataSession> first = OpenSession(store());
  const std::shared_ptr<MetadataSession> second = OpenSession(store());
  const std::shared_ptr<MetadataSession> third = OpenSession(other());
  EXPECT_NE(first->id(), second->id());
  EXPECT_NE(first->id(), third->id());
  EXPECT_NE(second->id(), third->id());
  ASSERT_TRUE(Run(store().CreateEphemeral(Context(), kLog7, "/e/1", Buffer(), first)).ok());
  ASSERT_TRUE(Run(store().CreateEphemeral(Context(), kLog7, "/e/2", Buffer(), second)).ok());
  ASSERT_TRUE(Run(other().CreateEphemeral(Context(), kLog7, "/e/3", Buffer(), third)).ok());
  ASSERT_TRUE(Run(first->Close(Context())).ok());
  EXPECT_EQ(Keys(kLog7, "/e/", "/e/~"), Strings({"/e/2", "/e/3"}));
  EXPECT_TRUE(second->ProvablyAlive());
  EXPECT_TRUE(third->ProvablyAlive());
}

TEST_P(MetadataStoreConformance, AnEphemeralKeyCanBeMadeAgain) {
  const std::shared_ptr<MetadataSession> first = OpenSession(store());
  const Result<WriteAnswer> one =
      Run(store().CreateEphemeral(Context(), kLog7, kLease, Buffer::CopyOf("1"), first));
  ASSERT_TRUE(one.ok());
  ASSERT_TRUE(Run(first->Close(Context())).ok());
  const std::shared_ptr<MetadataSession> second = OpenSession(store());
  const Result<WriteAnswer> two =
      Run(store().CreateEphemeral(Context(), kLog7, kLease, Buffer::CopyOf("2"), second));
  ASSERT_TRUE(two.ok()) << two.status().ToString();
  EXPECT_GT(two->version, one->version);
  EXPECT_EQ(ValueOf(kLog7, kLease), "2");
}

TEST_P(MetadataStoreConformance, AnEphemeralRecordCanBeDeleted) {
  const std::shared_ptr<MetadataSession> session = OpenSession(store());
  for (const char* key : {"/e/1", "/e/2"}) {
    ASSERT_TRUE(Run(store().CreateEphemeral(Context(), kLog7, key, Buffer(), session)).ok());
  }
  ASSERT_TRUE(Run(store().Delete(Context(), kLog7, "/e/1")).ok());
  ASSERT_TRUE(Run(store().DeleteRange(Context(), kLog7, "/e/2", "/e/3")).ok());
  EXPECT_TRUE(Keys(kLog7, "/e/", "/e/~").empty());
  // A lasting record that took the key's place is none of the session's.
  ASSERT_TRUE(Create(kLog7, "/e/1", "lasting").ok());
  ASSERT_TRUE(Run(session->Close(Context())).ok());
  EXPECT_EQ(ValueOf(kLog7, "/e/1"), "lasting");
}

TEST_P(MetadataStoreConformance, PutAndCompareAndSetMakeAnEphemeralRecordALastingOne) {
  const std::shared_ptr<MetadataSession> session = OpenSession(store());
  const Result<WriteAnswer> one = Run(store().CreateEphemeral(Context(), kLog7, "/e/1", Buffer(), session));
  const Result<WriteAnswer> two = Run(store().CreateEphemeral(Context(), kLog7, "/e/2", Buffer(), session));
  ASSERT_TRUE(one.ok() && two.ok());
  const Result<WriteAnswer> put = Put(kLog7, "/e/1", "lasting");
  ASSERT_TRUE(put.ok());
  EXPECT_EQ(put->created_ms, one->created_ms);
  ASSERT_TRUE(Run(store().CompareAndSet(Context(), kLog7, "/e/2", Buffer::CopyOf("lasting"), two->version)).ok());
  EXPECT_FALSE(Get(kLog7, "/e/1")->ephemeral);
  EXPECT_EQ(Get(kLog7, "/e/1")->session, "");
  EXPECT_FALSE(Get(kLog7, "/e/2")->ephemeral);
  ASSERT_TRUE(Run(session->Close(Context())).ok());
  EXPECT_EQ(Keys(kLog7, "/e/", "/e/~"), Strings({"/e/1", "/e/2"}));
}

TEST_P(MetadataStoreConformance, TheSessionsOfAKilledClientEnd) {
  const std::shared_ptr<MetadataSession> survivor = OpenSession(store());
  ASSERT_TRUE(Run(store().CreateEphemeral(Context(), kLog7, "/e/1", Buffer(), survivor)).ok());
  {
    const std::shared_ptr<MetadataSession> session = OpenSession(other());
    ASSERT_TRUE(Run(other().CreateEphemeral(Context(), kLog7, "/e/2", Buffer(), session)).ok());
    ASSERT_TRUE(Run(other().Put(Context(), kLog7, "/lasting", Buffer::CopyOf("kept"))).ok());
  }
  EXPECT_EQ(Keys(kLog7, "/e/", "/e/~").size(), 2u);
  KillOther();
  EXPECT_EQ(Keys(kLog7, "/e/", "/e/~"), Strings({"/e/1"}));
  EXPECT_EQ(ValueOf(kLog7, "/e/2"), "none");
  EXPECT_EQ(ValueOf(kLog7, "/lasting"), "kept");
  EXPECT_TRUE(Run(store().CreateEphemeral(Context(), kLog7, "/e/2", Buffer(), survivor)).ok());
}

/// What is left of a session when its process has died: its name.
class NamedSession final : public MetadataSession {
 public:
  explicit NamedSession(std::string id) : id_(std::move(id)) {}
  const std::string& id() const override { return id_; }
  bool ProvablyAlive() const override { return true; }
  Task<Status> Close(OpContext) override { co_return OkStatus(); }

 private:
  std::string id_;
};

TEST_P(MetadataStoreConformance, GuardOfAKilledClientIsFenced) {
  LS_CONFORMANCE_NEEDS(guarded_writes);
  std::string id;
  {
    const std::shared_ptr<MetadataSession> session = OpenSession(other());
    id = session->id();
    ASSERT_TRUE(Run(other().CreateEphemeral(Context(), kLog7, kLease, Buffer(), session)).ok());
  }
  WriteGuard guard;
  guard.session = std::make_shared<NamedSession>(id);
  EXPECT_TRUE(Run(store().Put(Context(), kLog7, "k", Buffer(), guard)).ok()) << "its session is alive";
  KillOther();
  // Whoever finds the lease gone may rely on it that the holder's writes are refused from now on.
  EXPECT_EQ(ValueOf(kLog7, kLease), "none");
  EXPECT_EQ(Run(store().Put(Context(), kLog7, "k", Buffer(), guard)).status().code(), StatusCode::kFenced);
}

TEST_P(MetadataStoreConformance, SessionTimeoutsHaveLimits) {
  for (const Duration timeout : {Duration(0), Duration(std::chrono::milliseconds(1999)),
                                 Duration(std::chrono::milliseconds(300'001)), Duration(-1)}) {
    const Result<std::shared_ptr<MetadataSession>> session = Run(store().OpenSession(Context(), timeout));
    EXPECT_EQ(session.status().code(), StatusCode::kInvalidArgument) << timeout.count();
  }
  for (const int seconds : {2, 300}) {
    EXPECT_TRUE(Run(store().OpenSession(Context(), std::chrono::seconds(seconds))).ok());
  }
}

}  // namespace
}  // namespace lakestream

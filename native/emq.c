/* EMQ.EXTEND and EMQ.EXTENDS: lua/extend_lock.lua and lua/extend_locks.lua as commands of the server.
 *
 *   EMQ.EXTEND  2 <active> <row>  <id> <token> <lease_ms>
 *       1           the lease now ends at now + lease
 *       -1          no row
 *       EMQSTALE    a later claim holds the job
 *       EMQIDLE     the job is not in flight: reaped, scheduled or dead
 *   EMQ.EXTENDS 2 <active> <base> <lease_ms> [<id> <token> ...]
 *       [id ...]    the ids not extended, in input order, repeated where they were repeated
 *
 * Either may also answer ERR (wrong number of arguments), EMQARG (the shape, the lease), NOPERM or WRONGTYPE;
 * then nothing was written. docs/native.md compares the commands with the scripts.
 *
 * Loads in Redis 7.0 and later and in Valkey 8 and later. It needs no header of the server and no library: what
 * it calls is looked up by name when it is loaded, so one file serves every server, whatever libc that has.
 */

#include <stddef.h>
#include <stdint.h>

/* ---- What it uses of the module API ------------------------------------------------------------------------ */

/* A context begins with the function that finds the others. */
typedef struct {
    int (*get_api)(const char *name, void *target);
} Ctx;

typedef struct String String;
typedef struct Key Key;
typedef struct Reply Reply;
typedef struct User User;
typedef struct Info Info;
typedef struct Command Command;
typedef int Handler(Ctx *, String **, int);

enum { OK = 0, ERR = 1 };
enum { API_VERSION = 1, MODULE_VERSION = 1 };
enum { OPEN_READ = 1 << 0 };
enum { TYPE_EMPTY = 0, TYPE_HASH = 3, TYPE_ZSET = 5 };
enum { REPLY_INTEGER = 2 };
enum { IN_CLUSTER = 1 << 5 };
enum { MAY_READ = 1 << 4, MAY_UPDATE = 1 << 5 }; /* as key specs name them: ACCESS, UPDATE */
enum { DENIED_KEY = 2 };
/* There is nothing here for a server to take care of: no data type, no state, no memory of keys. So a replica
 * may load a data set beside the old one, and Valkey 9 may move slots in one piece. */
enum { BEARS_ASYNC_LOADING = 1 << 2, BEARS_SLOT_MIGRATION = 1 << 5 };

#define SERVER_API(F)                                                                   \
    F(void, Log, (Ctx *, const char *level, const char *format, ...))                   \
    F(void, SetModuleAttribs, (Ctx *, const char *name, int version, int api))          \
    F(int, IsModuleNameBusy, (const char *name))                                        \
    F(void, SetModuleOptions, (Ctx *, int options))                                     \
    F(int, CreateCommand, (Ctx *, const char *, Handler *, const char *, int, int, int))\
    F(int, GetContextFlags, (Ctx *))                                                    \
    F(long long, Milliseconds, (void))                                                  \
    F(Info *, GetServerInfo, (Ctx *, const char *section))                              \
    F(const char *, ServerInfoGetFieldC, (Info *, const char *field))                   \
    F(void, FreeServerInfo, (Ctx *, Info *))                                            \
    F(unsigned long long, GetClientId, (Ctx *))                                         \
    F(String *, GetClientUserNameById, (Ctx *, uint64_t id))                            \
    F(User *, GetModuleUserFromUserName, (String *name))                                \
    F(void, FreeModuleUser, (User *))                                                   \
    F(int, ACLCheckKeyPermissions, (User *, String *key, int flags))                    \
    F(void, ACLAddLogEntry, (Ctx *, User *, String *object, int reason))                \
    F(void *, Alloc, (size_t))                                                          \
    F(void, Free, (void *))                                                             \
    F(String *, CreateString, (Ctx *, const char *, size_t))                            \
    F(String *, CreateStringFromLongLong, (Ctx *, long long))                           \
    F(void, FreeString, (Ctx *, String *))                                              \
    F(const char *, StringPtrLen, (const String *, size_t *length))                     \
    F(Key *, OpenKey, (Ctx *, String *name, int mode))                                  \
    F(void, CloseKey, (Key *))                                                          \
    F(int, KeyType, (Key *))                                                            \
    F(int, HashGet, (Key *, int flags, ...))                                            \
    F(int, ZsetScore, (Key *, String *member, double *score))                           \
    F(Reply *, Call, (Ctx *, const char *command, const char *format, ...))             \
    F(int, CallReplyType, (Reply *))                                                    \
    F(void, FreeCallReply, (Reply *))                                                   \
    F(int, ReplyWithCallReply, (Ctx *, Reply *))                                        \
    F(int, ReplyWithError, (Ctx *, const char *))                                       \
    F(int, ReplyWithLongLong, (Ctx *, long long))                                       \
    F(int, ReplyWithArray, (Ctx *, long length))                                        \
    F(int, ReplyWithString, (Ctx *, String *))

/* Only newer servers have these; each is 0 elsewhere. */
#define NEWER_API(F)                                                                    \
    F(long long, CachedMicroseconds, (void))                                            \
    F(Command *, GetCommand, (Ctx *, const char *name))                                 \
    F(int, SetCommandACLCategories, (Command *, const char *categories))

#define DECLARE(result, name, arguments) static result(*name) arguments;
SERVER_API(DECLARE)
NEWER_API(DECLARE)

/* The name of the first needed function that this server does not have, 0 when it has all. */
static const char *find_api(Ctx *ctx) {
    const char *missing = 0;
#define TRY(result, name, arguments) \
    if (ctx->get_api("RedisModule_" #name, (void *)&name) != OK) name = 0;
#define FIND(result, name, arguments) \
    TRY(result, name, arguments) if (!name && !missing) missing = #name;
    SERVER_API(FIND)
    NEWER_API(TRY)
    return missing;
}

/* ---- Text --------------------------------------------------------------------------------------------------- */

typedef struct {
    const char *at;
    size_t length;
} Text;

static Text text_of(const String *string) {
    Text text;
    text.at = StringPtrLen(string, &text.length);
    return text;
}

static Text text(const char *words) {
    Text text = {words, 0};
    while (words[text.length]) text.length++;
    return text;
}

static int same(Text one, Text other) {
    if (one.length != other.length) return 0;
    for (size_t at = 0; at < one.length; at++)
        if (one.at[at] != other.at[at]) return 0;
    return 1;
}

/* Whether `whole` is `head` followed by `tail`. */
static int joined(Text whole, Text head, Text tail) {
    if (whole.length != head.length + tail.length) return 0;
    Text front = {whole.at, head.length}, back = {whole.at + head.length, tail.length};
    return same(front, head) && same(back, tail);
}

static char *put(char *to, Text words) {
    for (size_t at = 0; at < words.length; at++) to[at] = words.at[at];
    return to + words.length;
}

/* A lease as the scripts read it: 1 to 15 digits, the first of them not 0. 0 when it is anything else. */
static long long positive(Text digits) {
    long long number = 0;
    if (digits.length == 0 || digits.length > 15 || digits.at[0] == '0') return 0;
    for (size_t at = 0; at < digits.length; at++) {
        if (digits.at[at] < '0' || digits.at[at] > '9') return 0;
        number = number * 10 + (digits.at[at] - '0');
    }
    return number;
}

/* Whether all keys that begin with `base` share a slot: it has a hash tag, closed and not empty. */
static int has_closed_tag(Text base) {
    size_t open = 0;
    while (open < base.length && base.at[open] != '{') open++;
    size_t close = open + 1;
    while (close < base.length && base.at[close] != '}') close++;
    return close < base.length && close > open + 1;
}

/* ---- One extension ------------------------------------------------------------------------------------------ */

/* Made when the module is loaded, and the same from then on. */
static String *epoch; /* this server's run_id */
static String *epoch_field;
static String *attempts_field;

typedef enum { GONE, STALE, IDLE, LIVE } Verdict;

typedef struct {
    String *id, *token; /* the command's own */
    String *row;        /* ours; 0 until it was named */
    Verdict verdict;
    int stamped;   /* the row carries this epoch already */
    int read_only; /* the caller may not write the row */
} Job;

typedef struct {
    Ctx *ctx;
    Text base;
    String *active;
    long long lease_ms; /* 0: malformed */
    Job *jobs;
    long count;
} Batch;

/* Reply with an error. Answers 0: "no" to those who ask whether to go on, and OK to the server. */
static int refuse(Ctx *ctx, const char *sentence) {
    ReplyWithError(ctx, sentence);
    return 0;
}

/* Each row is opened as the user who called, found by the client's id: the API that names the current user reads
 * through a user that may not be there on servers before Valkey 8.1. 0 when nobody is found, and then nobody
 * may do anything. */
static User *find_caller(Ctx *ctx) {
    unsigned long long client = GetClientId(ctx);
    String *name = client ? GetClientUserNameById(ctx, client) : 0;
    if (!name) return 0;
    User *user = GetModuleUserFromUserName(name);
    FreeString(ctx, name);
    return user;
}

static int may(User *caller, String *row, int flags) {
    return ACLCheckKeyPermissions(caller, row, flags) == OK;
}

static int deny(Ctx *ctx, User *caller, String *row, const char *sentence) {
    ACLAddLogEntry(ctx, caller, row, DENIED_KEY);
    return refuse(ctx, sentence);
}

/* The three checks of one job, in the order of the scripts. 0 when its key is no row. */
static int judge_row(Ctx *ctx, Job *job, Key *leases) {
    Key *row = OpenKey(ctx, job->row, OPEN_READ);
    int type = KeyType(row);
    job->verdict = GONE;
    if (type == TYPE_HASH) {
        String *attempts = 0, *stamp = 0;
        double deadline;
        HashGet(row, 0, attempts_field, &attempts, epoch_field, &stamp, (void *)0);
        if (attempts) {
            if (!same(text_of(attempts), text_of(job->token)))
                job->verdict = STALE;
            else if (!leases || ZsetScore(leases, job->id, &deadline) != OK)
                job->verdict = IDLE;
            else
                job->verdict = LIVE;
            FreeString(0, attempts);
        }
        if (stamp) {
            job->stamped = same(text_of(stamp), text_of(epoch));
            FreeString(0, stamp);
        }
    }
    if (row) CloseKey(row);
    return type == TYPE_HASH || type == TYPE_EMPTY;
}

/* Every verdict, before any write. 0 when the whole batch was refused. */
static int judge(const Batch *batch, User *caller) {
    static const char not_a_row[] = "WRONGTYPE Operation against a key holding the wrong kind of value";
    Ctx *ctx = batch->ctx;
    size_t longest = 0;
    for (long at = 0; at < batch->count; at++) {
        size_t length = text_of(batch->jobs[at].id).length;
        longest = length > longest ? length : longest;
    }
    char *name = Alloc(batch->base.length + 4 + longest);
    char *name_id = put(put(name, batch->base), text("job:"));
    Key *leases = OpenKey(ctx, batch->active, OPEN_READ);
    int type = KeyType(leases);
    int fine = type == TYPE_ZSET || type == TYPE_EMPTY || refuse(ctx, not_a_row);
    for (long at = 0; fine && at < batch->count; at++) {
        Job *job = &batch->jobs[at];
        job->row = CreateString(0, name, (size_t)(put(name_id, text_of(job->id)) - name));
        job->read_only = !may(caller, job->row, MAY_READ | MAY_UPDATE);
        if (job->read_only && !may(caller, job->row, MAY_READ))
            fine = deny(ctx, caller, job->row, "NOPERM this user may not read a job's row");
        else if (!judge_row(ctx, job, leases))
            fine = refuse(ctx, not_a_row);
    }
    if (leases) CloseKey(leases);
    Free(name);
    return fine;
}

/* Whether the caller may write every row that will be stamped. */
static int permit(const Batch *batch, User *caller) {
    for (long at = 0; at < batch->count; at++) {
        Job *job = &batch->jobs[at];
        if (job->verdict == LIVE && job->read_only)
            return deny(batch->ctx, caller, job->row, "NOPERM this user may not write a job's row");
    }
    return 1;
}

/* The command time: what TIME reports, where the server lets modules ask for it; 7.0's TIME is the clock itself. */
static long long now_ms(void) {
    return CachedMicroseconds ? CachedMicroseconds() / 1000 : Milliseconds();
}

/* Let a write that the server did itself count. It happens before all others, so 0 means: nothing was written. */
static int written(Ctx *ctx, Reply *reply) {
    if (!reply) return refuse(ctx, "ERR the server did not take the write");
    int fine = CallReplyType(reply) == REPLY_INTEGER;
    if (!fine) ReplyWithCallReply(ctx, reply);
    FreeCallReply(reply);
    return fine;
}

/* Move every live lease to one deadline. The server runs these commands as its own ("!"), so the append-only file,
 * replicas without this module, keyspace events and WATCH all see a ZADD and some HSETs. */
static int extend_live(const Batch *batch, String *deadline) {
    Ctx *ctx = batch->ctx;
    String **words = Alloc(((size_t)batch->count * 2 + 1) * sizeof *words);
    size_t used = 0;
    words[used++] = batch->active;
    for (long at = 0; at < batch->count; at++) {
        if (batch->jobs[at].verdict != LIVE) continue;
        words[used++] = deadline;
        words[used++] = batch->jobs[at].id;
    }
    int fine = used == 1 || written(ctx, Call(ctx, "ZADD", "!v", words, used));
    for (long at = 0; fine && at < batch->count; at++) {
        Job *job = &batch->jobs[at];
        if (job->verdict != LIVE || job->stamped) continue;
        Reply *reply = Call(ctx, "HSET", "!sss", job->row, epoch_field, epoch);
        if (reply) FreeCallReply(reply); /* it was a hash a moment ago, so there is no error to look for */
    }
    Free(words);
    return fine;
}

/* Judge, then write. 1 when every job has its verdict; 0 when an error was replied and nothing was written. */
static int extend(const Batch *batch) {
    User *caller = find_caller(batch->ctx);
    if (!caller) return refuse(batch->ctx, "NOPERM the user of this connection is not known");
    String *deadline = CreateStringFromLongLong(0, now_ms() + batch->lease_ms); /* one read of the clock */
    int fine = judge(batch, caller) && permit(batch, caller) && extend_live(batch, deadline);
    FreeString(0, deadline);
    for (long at = 0; at < batch->count; at++)
        if (batch->jobs[at].row) FreeString(0, batch->jobs[at].row);
    FreeModuleUser(caller);
    return fine;
}

/* ---- The commands ------------------------------------------------------------------------------------------- */

/* In a cluster the rows must live where the base does. */
static int shares_slot(const Batch *batch) {
    if (!(GetContextFlags(batch->ctx) & IN_CLUSTER) || has_closed_tag(batch->base)) return 1;
    return refuse(batch->ctx, "EMQARG in a cluster a base has a closed hash tag, as emq:{q}: has");
}

static int extend_one(Ctx *ctx, String **argv, int argc) {
    if (argc != 7) return refuse(ctx, "ERR EMQ.EXTEND wrong number of arguments");
    Text active = text_of(argv[2]), row = text_of(argv[3]), id = text_of(argv[4]), suffix = text("active");
    size_t stem = active.length > suffix.length ? active.length - suffix.length : 0;
    Text base = {active.at, stem}, left = {row.at, row.length > id.length ? row.length - id.length : 0};
    if (!same(text_of(argv[1]), text("2")) || !joined(active, base, suffix) || !joined(left, base, text("job:")) ||
        !joined(row, left, id))
        return refuse(ctx, "EMQARG EMQ.EXTEND takes 2 keys: a queue's active set and the job's row there");
    Job job = {argv[4], argv[5], 0, GONE, 0, 0};
    Batch batch = {ctx, base, argv[2], positive(text_of(argv[6])), &job, 1};
    if (batch.lease_ms == 0) return refuse(ctx, "EMQARG a lease is a whole number of ms above 0");
    if (!shares_slot(&batch) || !extend(&batch)) return OK;
    switch (job.verdict) {
        case GONE: return ReplyWithLongLong(ctx, -1);
        case STALE: return ReplyWithError(ctx, "EMQSTALE a later claim holds the job");
        case IDLE: return ReplyWithError(ctx, "EMQIDLE the job is not in flight");
        default: return ReplyWithLongLong(ctx, 1);
    }
}

static int extend_many(Ctx *ctx, String **argv, int argc) {
    /* The name, 2, two keys, the lease, then whole pairs: an odd count. An id without its token is refused. */
    if (argc < 5 || argc % 2 == 0) return refuse(ctx, "ERR EMQ.EXTENDS wrong number of arguments");
    Batch batch = {ctx, text_of(argv[3]), argv[2], positive(text_of(argv[4])), 0, (argc - 5) / 2};
    if (!same(text_of(argv[1]), text("2")) || !joined(text_of(argv[2]), batch.base, text("active")))
        return refuse(ctx, "EMQARG EMQ.EXTENDS takes 2 keys: a queue's active set and its base");
    if (batch.lease_ms == 0) return refuse(ctx, "EMQARG a lease is a whole number of ms above 0");
    if (!shares_slot(&batch)) return OK;
    if (batch.count == 0) return ReplyWithArray(ctx, 0);
    batch.jobs = Alloc((size_t)batch.count * sizeof *batch.jobs);
    for (long at = 0; at < batch.count; at++) {
        Job job = {argv[5 + 2 * at], argv[6 + 2 * at], 0, GONE, 0, 0};
        batch.jobs[at] = job;
    }
    if (extend(&batch)) {
        long failed = 0;
        for (long at = 0; at < batch.count; at++) failed += batch.jobs[at].verdict != LIVE;
        ReplyWithArray(ctx, failed);
        for (long at = 0; at < batch.count; at++)
            if (batch.jobs[at].verdict != LIVE) ReplyWithString(ctx, batch.jobs[at].id);
    }
    Free(batch.jobs);
    return OK;
}

/* ---- Loading ------------------------------------------------------------------------------------------------ */

/* "deny-script": a script has a twin of its own. Not "deny-oom": a full server keeps its leases, as with the
 * scripts. Keys 2 to 3, always, so that clients route without asking. */
static int add_command(Ctx *ctx, const char *name, Handler *handler, const char *flags) {
    if (CreateCommand(ctx, name, handler, flags, 2, 3, 1) != OK) return ERR;
    if (GetCommand && SetCommandACLCategories) return SetCommandACLCategories(GetCommand(ctx, name), "write");
    return OK;
}

static String *run_id(Ctx *ctx) {
    Info *info = GetServerInfo(ctx, "server");
    const char *found = info ? ServerInfoGetFieldC(info, "run_id") : 0;
    String *id = found ? CreateString(0, found, text(found).length) : 0;
    if (info) FreeServerInfo(ctx, info);
    return id;
}

__attribute__((visibility("default"))) int RedisModule_OnUnload(Ctx *ctx) {
    (void)ctx;
    if (epoch) FreeString(0, epoch);
    if (epoch_field) FreeString(0, epoch_field);
    if (attempts_field) FreeString(0, attempts_field);
    epoch = epoch_field = attempts_field = 0;
    return OK;
}

__attribute__((visibility("default"))) int RedisModule_OnLoad(Ctx *ctx, String **argv, int argc) {
    (void)argv;
    (void)argc;
    const char *missing = find_api(ctx);
    if (missing) {
        if (Log) Log(ctx, "warning", "emq needs Redis 7.0, Valkey 8 or later: this server has no %s", missing);
        return ERR;
    }
    if (IsModuleNameBusy("emq")) return ERR;
    SetModuleAttribs(ctx, "emq", MODULE_VERSION, API_VERSION);
    SetModuleOptions(ctx, BEARS_ASYNC_LOADING | BEARS_SLOT_MIGRATION);
    epoch = run_id(ctx);
    epoch_field = CreateString(0, "lease_epoch", 11);
    attempts_field = CreateString(0, "attempts", 8);
    if (epoch && add_command(ctx, "emq.extend", extend_one, "write fast deny-script") == OK &&
        add_command(ctx, "emq.extends", extend_many, "write deny-script") == OK)
        return OK;
    RedisModule_OnUnload(ctx);
    return ERR;
}

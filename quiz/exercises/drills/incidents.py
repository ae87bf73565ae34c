"""Five incidents of production: what is seen, its cause, the remedy, the evidence that it helped; and for
each of these three a near miss that people often name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from quiz.exercises.types import Text


@dataclass(frozen=True, kw_only=True)
class Link:
    """One link of the chain: what is right, and a near miss (`near` is its slug), with the name of the
    mistake and why it is one."""

    right: Text
    near: str
    near_label: Text
    near_title: Text
    near_told: Text


@dataclass(frozen=True, kw_only=True)
class Incident:
    """`name` is short and plain; `symptoms` are tellings of the same kind of incident."""

    name: Text
    symptoms: tuple[Text, ...]
    cause: Link
    remedy: Link
    evidence: Link

    def link(self, column: str) -> Link:
        found: Link = getattr(self, column)
        return found


INCIDENTS: Mapping[str, Incident] = MappingProxyType(
    {
        "leak": Incident(
            name=Text("训练好、生成崩", "good in training, broken in generation"),
            symptoms=(
                Text(
                    "训练损失几百步就低得反常，没见过的文字上也一样好看；一到逐 token 生成，第二个词起就不知"
                    "所云。",
                    "Within a few hundred steps the training loss is suspiciously low, on unseen text as "
                    "well; generated token by token, the output falls apart from the second word on.",
                ),
                Text(
                    "一段没见过的文字整段喂进去，困惑度低得不像话；让它自己一个词一个词往下写，却全是重复。",
                    "Fed whole, unseen text gets an absurdly low perplexity; left to write word by word, the "
                    "model only repeats itself.",
                ),
                Text(
                    "换了一个「更简洁」的掩码函数，训练和验证指标突然都好了一大截，线上生成的质量却掉到底。",
                    "After a “simpler” mask function, training and validation figures are suddenly far "
                    "better, while what is generated in production has become useless.",
                ),
            ),
            cause=Link(
                right=Text(
                    "因果掩码没有挡住未来（方向反了，或者错开了一格）",
                    "the causal mask lets the future through (the wrong way round, or one off)",
                ),
                near="overfitting",
                near_label=Text(
                    "模型过拟合，把训练集背了下来",
                    "the model has overfitted and knows the training set by heart",
                ),
                near_title=Text("当成了过拟合", "overfitting taken for the cause"),
                near_told=Text(
                    "过拟合的话，没见过的文字上指标会变差；这里没见过的文字也好得反常。",
                    "With overfitting the figures on unseen text get worse; here they are suspiciously good "
                    "as well.",
                ),
            ),
            remedy=Link(
                right=Text(
                    "改对掩码的方向和对角线，全项目只留一个造掩码的函数",
                    "mend direction and diagonal of the mask, and keep one function in the project that "
                    "makes masks",
                ),
                near="regularisation",
                near_label=Text("加大 dropout，提前停止训练", "more dropout, and stop the training earlier"),
                near_title=Text("拿正则化来治", "regularisation as the cure"),
                near_told=Text(
                    "这是治过拟合的。看得见答案的模型，怎么正则化也还是抄答案。",
                    "That treats overfitting. A model that can see the answers goes on copying them, however "
                    "it is regularised.",
                ),
            ),
            evidence=Link(
                right=Text(
                    "改掉后面的 token，前面各行的输出一点不变；逐步生成和整段一起算的结果相同",
                    "other later tokens leave earlier rows untouched; step-by-step generation gives what the "
                    "whole pass gives",
                ),
                near="higher_loss",
                near_label=Text("训练损失回到了正常的高度", "the training loss is back at a normal height"),
                near_title=Text("拿损失变高当证据", "a higher loss as the evidence"),
                near_told=Text(
                    "损失变高只说明抄到的少了，不说明未来真的挡住了：只差一格也会这样。",
                    "A higher loss only says that less is copied, not that the future is hidden: one "
                    "diagonal off would do that too.",
                ),
            ),
        ),
        "nan": Incident(
            name=Text("输出或梯度成了 NaN", "NaN in outputs or gradients"),
            symptoms=(
                Text(
                    "偶尔有一批一进来损失就是 NaN；不更新参数、只做前向也能复现，换一批又好了。",
                    "Now and then a batch has NaN for its loss; a forward pass alone, without updates, "
                    "reproduces it, and the next batch is fine.",
                ),
                Text(
                    "换成 float16 以后，长一点的输入会让某几行输出变成 NaN，梯度跟着全是 NaN。",
                    "Since the change to float16, longer inputs turn some rows of the output into NaN, and "
                    "all gradients with them.",
                ),
                Text(
                    "左填充的批次里，最前面几行的输出是 NaN；右填充的批次没有这个问题。",
                    "In batches padded on the left, the first rows of the output are NaN; batches padded on "
                    "the right are fine.",
                ),
            ),
            cause=Link(
                right=Text(
                    "某一行的 key 全被遮住，或者低精度的分数溢出：softmax 里出现了 0/0 或 ∞−∞",
                    "a row whose keys are all hidden, or low-precision scores that overflow: the softmax "
                    "meets 0/0 or ∞−∞",
                ),
                near="learning_rate",
                near_label=Text(
                    "学习率太大，参数发散了", "the learning rate is too large and the parameters diverge"
                ),
                near_title=Text("当成了学习率太大", "too large a learning rate taken for the cause"),
                near_told=Text(
                    "学习率太大时，NaN 是训着训着出来的，和是哪一批输入无关；这里换一批输入就没有了。",
                    "With too large a learning rate NaNs come with the updates and stay, whatever the batch; "
                    "here they depend on the input.",
                ),
            ),
            remedy=Link(
                right=Text(
                    "保证每行至少剩一个 key（或让这样的行给 0），检查有限值，必要时换更宽的精度",
                    "leave at least one key in every row (or give zeros), check for finite values, and widen "
                    "the precision where needed",
                ),
                near="cover_up",
                near_label=Text(
                    "用 `nan_to_num` 把 NaN 换成 0，接着训练",
                    "replace NaN by 0 with `nan_to_num` and go on training",
                ),
                near_title=Text("把 NaN 盖住了", "the NaN only covered up"),
                near_told=Text(
                    "NaN 被盖住了，产生它的那一行还在，梯度也已经坏了，下次更难发现。",
                    "The NaN is covered up; the row that made it is still there, the gradients are spoilt, "
                    "and next time it is harder to find.",
                ),
            ),
            evidence=Link(
                right=Text(
                    "空输入、极值、很长的序列都回归一遍，输出和梯度里每个数都有限",
                    "empty inputs, extreme values and long sequences are run again, and every number of "
                    "outputs and gradients is finite",
                ),
                near="not_met_again",
                near_label=Text("重新训练了一遍，没有再看到 NaN", "another training run showed no NaN"),
                near_title=Text("拿没再碰上当证据", "not having met it again as the evidence"),
                near_told=Text(
                    "没碰上不等于没有：要拿会触发它的输入去试。",
                    "Not met is not gone: it has to be tried with the inputs that trigger it.",
                ),
            ),
        ),
        "padding": Incident(
            name=Text("补齐的长度影响结果", "results that depend on the padding"),
            symptoms=(
                Text(
                    "双向编码器做句子匹配：同一句话单独算，和跟长句子拼成一批算，各 token 的输出从第一位小数"
                    "起就不同。",
                    "A bidirectional encoder for matching sentences: computed alone or in a batch with "
                    "longer ones, the same sentence gets outputs that differ from the first decimal on.",
                ),
                Text(
                    "双向编码器里，把同一条样本在右边多补 16 个 PAD，句首 token 的输出就明显变了。",
                    "In a bidirectional encoder, 16 more padding tokens on the right of the same sample "
                    "clearly change the output at its first token.",
                ),
                Text(
                    "编码器分类：按长度分桶的方式一改，同一个测试集的分数就差出两个点。",
                    "A classifying encoder: with another way of bucketing by length, the score on the same "
                    "test set moves by two points.",
                ),
            ),
            cause=Link(
                right=Text(
                    "漏了 padding 掩码，或者它的真假用反了：真实 token 把权重分给了 PAD",
                    "no padding mask, or one read the wrong way round: real tokens give weight to the "
                    "padding",
                ),
                near="rounding",
                near_label=Text(
                    "批不同，浮点求和的次序不同",
                    "another batch adds its floating-point numbers in another order",
                ),
                near_title=Text("当成了浮点误差", "floating-point noise taken for the cause"),
                near_told=Text(
                    "求和次序不同，只会差在最后几位；这里差得远不止。",
                    "Another order of adding changes the last digits only; here the difference is far "
                    "larger.",
                ),
            ),
            remedy=Link(
                right=Text(
                    "把两类掩码合好，按目标 API 的约定（True 是看得见还是遮住）写真值表测试",
                    "combine both masks, and write truth-table tests for what True means in the API at hand",
                ),
                near="zero_embeddings",
                near_label=Text("把 PAD 的词向量设成全 0", "set the embedding of the padding to zeros"),
                near_title=Text(
                    "只把 PAD 的词向量清了零", "embeddings of the padding set to zero as the cure"
                ),
                near_told=Text(
                    "分数是 0 也照样拿权重（$e^0 = 1$），而且经过带偏置的投影，它早就不是 0 了。",
                    "A score of 0 still takes weight ($e^0 = 1$), and after a projection with a bias the "
                    "vector is not 0 any more.",
                ),
            ),
            evidence=Link(
                right=Text(
                    "同一条样本补到不同长度，真实位置的输出在容差之内相同",
                    "one sample padded to several lengths gives the same output at its real positions, "
                    "within tolerance",
                ),
                near="fixed_length",
                near_label=Text(
                    "统一补到 512 的测试集上，分数和以前一样",
                    "on a test set that is padded to 512 throughout, the score is what it was",
                ),
                near_title=Text("拿固定长度的分数当证据", "a score at one fixed length as the evidence"),
                near_told=Text(
                    "补齐的长度没有变过，就看不出它变了会怎样。",
                    "As long as the padded length never changes, nothing shows what a change of it would do.",
                ),
            ),
        ),
        "oom": Incident(
            name=Text("长请求显存不足", "out of memory on long requests"),
            symptoms=(
                Text(
                    "平时稳稳的推理服务，来了几条十几万 token 的请求，worker 显存不足重启，同批的短请求一起超"
                    "时。",
                    "A steady inference service gets a few requests of over a hundred thousand tokens; the "
                    "worker runs out of memory and restarts, and the short requests of the batch time out "
                    "with it.",
                ),
                Text(
                    "批里混进一条很长的提示，prefill 一开始显存峰值就顶满；换成短提示，同样的并发没有事。",
                    "With one very long prompt in the batch, memory peaks as soon as the prefill begins; "
                    "with short prompts the same concurrency is fine.",
                ),
                Text(
                    "上下文窗口从 8k 放宽到 128k 以后，长请求一多就 OOM；只有短请求的时候一整天都没事。",
                    "Since the context window was widened from 8k to 128k, many long requests at once run "
                    "out of memory; with short ones the service is fine all day.",
                ),
            ),
            cause=Link(
                right=Text(
                    "n² 的中间量、KV 缓存或并发加起来超出了显存，入口没有按 token 拦住",
                    "n² intermediates, KV cache or concurrency together exceed the memory, and nothing at "
                    "the door counts tokens",
                ),
                near="memory_leak",
                near_label=Text(
                    "显存泄漏：每个请求都漏掉一点", "a memory leak: every request leaves a little behind"
                ),
                near_title=Text("当成了显存泄漏", "a memory leak taken for the cause"),
                near_told=Text(
                    "泄漏是越跑越高、和请求长短无关的；这里只有短请求时一直没事。",
                    "A leak grows with time, whatever the length of the requests; here short ones never do "
                    "any harm.",
                ),
            ),
            remedy=Link(
                right=Text(
                    "入口按 token 和 KV 缓存做准入，超预算的限流或拒绝，再换不存分数矩阵的内核",
                    "admit by tokens and KV cache, throttle or refuse what is beyond the budget, and use a "
                    "kernel that keeps no score matrix",
                ),
                near="character_limit",
                near_label=Text("在入口限制字符数", "limit the number of characters at the door"),
                near_title=Text("只限制了字符数", "a limit on characters as the cure"),
                near_told=Text(
                    "字符数不是 token 数，更不是显存：并发和 KV 缓存都没有算进去。",
                    "Characters are not tokens, let alone bytes: neither concurrency nor the KV cache is in "
                    "the count.",
                ),
            ),
            evidence=Link(
                right=Text(
                    "长度和批大小的各种组合都压测过，没有进程崩溃，峰值显存低于门槛",
                    "load tests over lengths and batch sizes end without a crash, and peak memory stays "
                    "below the limit",
                ),
                near="one_replay",
                near_label=Text(
                    "把出事的那条请求重放一遍，没有再崩",
                    "the request that failed was played again and did not crash",
                ),
                near_title=Text("拿重放一条请求当证据", "one request played again as the evidence"),
                near_told=Text(
                    "当时的同批、并发和缓存占用都不在了：要测的是组合，不是这一条。",
                    "Its batch, its concurrency and the filled cache are gone: combinations have to be "
                    "tested, not that one request.",
                ),
            ),
        ),
        "latency": Incident(
            name=Text("延迟剧烈抖动", "latency that jitters"),
            symptoms=(
                Text(
                    "平均延迟没怎么变，P99 却在几十毫秒和两秒之间跳；同样的代码、同样的卡，换一批请求就不一"
                    "样。",
                    "Mean latency has hardly moved, yet P99 jumps between tens of milliseconds and two "
                    "seconds; with the same code and card it depends on the batch.",
                ),
                Text(
                    "升级驱动以后，同一个接口时快时慢，慢的时候显存占用也高一截，日志里没有报错。",
                    "Since a driver update the same endpoint is fast at times and slow at others; when it is "
                    "slow it takes more memory too, and the log shows no error.",
                ),
                Text(
                    "短请求有时要等很久才出第一个 token，和它排在同一批的总有几条特别长的。",
                    "Short requests sometimes wait long for their first token, and the batch they are in "
                    "always holds a few very long ones.",
                ),
            ),
            cause=Link(
                right=Text(
                    "长短请求混在一批，或者优化内核悄悄退回了慢的路径",
                    "long and short requests share a batch, or the fast kernel silently falls back to a slow "
                    "path",
                ),
                near="network",
                near_label=Text("网络时好时坏", "the network is good at times and bad at others"),
                near_title=Text("当成了网络抖动", "a shaky network taken for the cause"),
                near_told=Text(
                    "网络和同批的请求有多长、显存占了多少没有关系；这里慢的总是特定的批。",
                    "The network knows nothing of the lengths in a batch or of memory; here it is certain "
                    "batches that are slow.",
                ),
            ),
            remedy=Link(
                right=Text(
                    "按长度调度，并把每次实际跑的内核、dtype 和批形状记下来",
                    "schedule by length, and record the kernel that ran, its dtype and the shape of the "
                    "batch",
                ),
                near="more_machines",
                near_label=Text("多加几台机器", "add a few machines"),
                near_title=Text("拿加机器来治", "more machines as the cure"),
                near_told=Text(
                    "机器多了，每台上照样长短混批、照样会退回慢路径：尾巴还在。",
                    "On each of them long and short requests still share batches and kernels still fall "
                    "back: the tail remains.",
                ),
            ),
            evidence=Link(
                right=Text(
                    "按长度和实际内核切开看，P95 和 P99 都回到了门槛以内",
                    "split by length and by the kernel that ran, P95 and P99 are back within their limits",
                ),
                near="mean_latency",
                near_label=Text("平均延迟下降了", "mean latency has gone down"),
                near_title=Text("拿平均延迟当证据", "mean latency as the evidence"),
                near_told=Text(
                    "平均值看不见尾巴：P99 可以一边变坏，平均值一边变好。",
                    "A mean does not see the tail: P99 can get worse while the mean gets better.",
                ),
            ),
        ),
    }
)
